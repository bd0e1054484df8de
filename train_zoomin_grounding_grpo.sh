#!/usr/bin/env bash
# Trains a zooming GUI grounding policy by multi-turn GRPO: the classic command line, a thin door to `zoomground train`.
#
#   MODEL_PATH=/models/my-sft-checkpoint NNODES=1 VLLM_TP=1 bash train_zoomin_grounding_grpo.sh
#
# Settings are environment variables; `zoomground settings recipes/classic.toml` prints all of them with value,
# default and source. Those used most:
#   MODEL_PATH    checkpoint to start from (required)
#   DATASETS      rows files, separated by spaces; quote a path that holds one: DATASETS="'/my data/a.jsonl' b.jsonl"
#   DRY_RUN       1: print the whole plan, then the problems, and run nothing
#   ZOOMIN_RECIPE another recipe than recipes/classic.toml
#   ZOOMIN_ENGINE_ZERO, ZOOMIN_ENGINE_OFFLOAD_OPTIMIZER
#                 how the ranks share a model: by themselves several ranks use ZeRO-3 with the optimizer in host memory,
#                 one rank none of it; 0 gives every rank the whole model
# Output: ./output/zoomin_grounding_grpo/
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
: "${MODEL_PATH:?set MODEL_PATH to the checkpoint to start from}"
export MODEL_PATH

arguments=("${ZOOMIN_RECIPE:-$root/recipes/classic.toml}")
if [ "${DRY_RUN:-0}" = 1 ]; then
  arguments+=(--dry-run)
fi

if [ -x "$root/.venv/bin/zoomground" ]; then
  exec "$root/.venv/bin/zoomground" train "${arguments[@]}"
fi
exec zoomground train "${arguments[@]}"
