"""A person sees gains and losses first, and something of everything."""

from __future__ import annotations

from zoomground.evaluate.picks import picks

OFF = {"a": True, "b": False, "c": False, "d": True, "e": True, "f": True}
ON = {"a": True, "b": True, "c": False, "d": False, "e": True, "f": True}


def test_gains_and_losses_come_first_whatever_the_order_of_the_arms() -> None:
    for hits in ({"on": ON, "off": OFF}, {"off": OFF, "on": ON}):
        assert picks(hits, 10) == [
            ("b", "gained by on"),
            ("d", "lost by on"),
            ("c", "missed by off and on"),
            ("a", "hit by off and on"),
            ("e", "hit by off and on"),
            ("f", "hit by off and on"),
        ]


def test_every_kind_has_its_turn_before_one_comes_again() -> None:
    assert [item for item, _ in picks({"on": ON, "off": OFF}, 4)] == ["b", "d", "c", "a"]
    assert [item for item, _ in picks({"on": ON, "off": OFF}, 2)] == ["b", "d"]
    assert [item for item, _ in picks({"on": ON, "off": OFF}, 5)] == ["b", "d", "c", "a", "e"]


def test_one_arm_alone_shows_misses_first() -> None:
    assert picks({"on": ON}, 3) == [("c", "missed"), ("d", "missed"), ("a", "hit")]
