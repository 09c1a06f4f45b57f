"""Templates that would run for ever, or make texts without end, stop with a sentence."""

import copy
import time
from typing import Any

import pytest

from syncline.core.appset.limits import Limits
from syncline.core.appset.template import TemplateError, render_application, render_text

LIMITED = r"more than \d+ (steps|characters|levels)|nests too deep|max expression depth exceeded"
DOUBLED = "{{ $x := list 1 }}" + "{{ $x = list $x $x }}" * 50
MAPPED = '{{ $x := dict "a" 1 }}' + '{{ $x = dict "a" $x "b" $x }}' * 50
SELF = '{{ $d := dict }}{{ $_ := set $d "self" $d }}'
QUICK = Limits(max_steps=50_000)
HUGE = {"a": "x" * 1_000_000, "l": ["x" * 1_000_000] * 1000}


@pytest.mark.parametrize(
    "text",
    [
        "{{ repeat 1000000000 \"a\" }}",
        "{{ repeat 1000000 (repeat 1000000 \"a\") }}",
        "{{ range 1000000000 }}{{ end }}",
        "{{ range 1000000000 }}x{{ end }}",
        "{{ range until 1000000000 }}{{ end }}",
        "{{ until 9223372036854775807 }}",
        "{{ untilStep 0 1000000000 1 | len }}",
        "{{ seq 1000000000 }}",
        "{{ range 10000 }}{{ range 10000 }}{{ end }}{{ end }}",
        '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
        '{{ define "a" }}{{ template "b" }}{{ end }}{{ define "b" }}{{ template "a" }}{{ end }}{{ template "a" }}',
        "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
        "{{ if 1 }}" * 2000 + "{{ end }}" * 2000,
        "{{ if 0 }}" + "{{ else if 0 }}" * 2000 + "{{ end }}",
        DOUBLED + "{{ $x }}",
        DOUBLED + "{{ toJson $x }}",
        DOUBLED + "{{ toYaml $x }}",
        DOUBLED + '{{ printf "%#v" $x }}',
        DOUBLED + "{{ deepCopy $x | len }}",
        DOUBLED + "{{ deepEqual $x (deepCopy $x) }}",
        DOUBLED + "{{ $x | toString | len }}",
        MAPPED + "{{ $x }}",
        MAPPED + "{{ toPrettyJson $x }}",
        MAPPED + "{{ mergeOverwrite (deepCopy $x) $x | len }}",
        SELF + "{{ $d }}",
        SELF + "{{ toJson $d }}",
        SELF + "{{ toYaml $d }}",
        SELF + "{{ deepCopy $d }}",
        SELF + "{{ merge (dict \"self\" (dict \"self\" $d)) $d }}",
        "{{ join .a .l }}",
        '{{ replace "x" .a .a }}',
        '{{ regexReplaceAll "x" .a .a }}',
        '{{ regexReplaceAllLiteral "" .a .a }}',
        "{{ indent 1000000 (replace \"x\" \"\\n\" .a) }}",
        '{{ printf "%1000000d%1000000d%1000000d" 1 1 1 }}',
        "{{ range 3000 }}{{ $.a }}{{ end }}",
        "{{ print .l }}",
        "{{ cat .a .a .a }}",
        "{{ $s := \"a\" }}{{ range 100 }}{{ $s = print $s $s }}{{ end }}{{ $s }}",
        "{{ $l := list 1 }}{{ range 100 }}{{ $l = concat $l $l }}{{ end }}",
        '{{ range 100 }}{{ $_ := derivePassword 1 "long" "p" "u" "s" }}{{ end }}',
        '{{ wrapWith 1 .a .a }}',
    ],
    ids=lambda text: text[-60:],
)  # fmt: skip
def test_a_hostile_template_ends_with_a_sentence(text: str) -> None:
    begun = time.process_time()
    with pytest.raises(TemplateError, match=LIMITED):
        render_text(text, HUGE, go_template=True, limits=QUICK)
    assert time.process_time() - begun < 10


def test_an_expression_that_is_slow_elsewhere_is_quick_here() -> None:
    begun = time.process_time()
    text = '{{ regexMatch "(a+)+$" (print (repeat 50000 "a") "b") }}'
    assert render_text(text, {}, go_template=True) == "false"
    assert time.process_time() - begun < 5


def test_what_a_template_changes_is_not_changed_for_the_caller() -> None:
    params: dict[str, Any] = {"map": {"key": "value"}}
    before = copy.deepcopy(params)
    template = {"metadata": {"name": '{{ $_ := set .map "key" "new" }}x'}, "spec": {"project": "{{ .map.key }}"}}
    made = render_application(template, params, go_template=True)
    assert made["spec"]["project"] == "new"
    assert params == before


@pytest.mark.parametrize("name", ["randAlpha 5", "uuidv4", 'genPrivateKey "rsa"', 'shuffle "abc"', "now"])
def test_what_would_give_another_text_each_time_says_what_to_do(name: str) -> None:
    with pytest.raises(TemplateError, match="as a parameter"):
        render_text(f"{{{{ {name} }}}}", {"a": 1}, go_template=True)


@pytest.mark.parametrize(
    ("text", "rendered"),
    [("{{ .big }}", "1e+06"), ("{{ .n | int }}", "7"), ("{{ .n }}", "7"), ('{{ .l | join "," }}', "1,2.5")],
)
def test_numbers_of_parameters_are_floats_as_in_go(text: str, rendered: str) -> None:
    params = {"big": 1_000_000, "n": 7, "l": [1, 2.5]}
    assert render_text(text, params, go_template=True) == rendered


@pytest.mark.parametrize("option", ["missingkey=nope", "", "other=error"])
def test_an_unknown_option_is_refused(option: str) -> None:
    with pytest.raises(TemplateError, match="option"):
        render_text("{{ .a }}", {"a": 1}, go_template=True, options=[option])
