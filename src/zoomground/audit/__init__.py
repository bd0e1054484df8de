"""The audit of reward hacks: does any cheat earn more than honest play on the same sample?"""

from zoomground.audit.report import AuditReport, CheatResult
from zoomground.audit.run import audit_rewards
from zoomground.audit.samples import audit_samples

__all__ = ["AuditReport", "CheatResult", "audit_rewards", "audit_samples"]
