"""Writes down what Go says to the cases of templates, for the tests that run without Go.

Run as `python -m tests.real.record_templates`, after cases were added or Go's or Sprig's version has changed.
"""

import datetime as dt
import json

from tests.real import build_templates
from tests.support import gotemplates


def main() -> None:
    """Ask for all cases, and write them with their answers."""
    cases = gotemplates.written() + gotemplates.drawn()
    head = {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "go": build_templates.go_version(),
        "sprig": build_templates.sprig_version(),
    }
    lines = [head] + [
        {**case, "answer": answer} for case, answer in zip(cases, build_templates.ask(cases), strict=True)
    ]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (gotemplates.FIXTURES / "recorded.jsonl").write_text(text, encoding="utf-8")
    print(f"recorded {len(cases)} answers")


if __name__ == "__main__":
    main()
