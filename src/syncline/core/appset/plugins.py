"""The plugin generator: one set of parameters for each that a web service of the installation answers with.

Called by `syncline.core.appset.generators`. The service is sent the name of the set and the generator's input; what it
was sent is a parameter too, as `generator.input.parameters`.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import encoding
from syncline.core.appset.context import Context
from syncline.core.appset.parameters import Origin, Parameters, Values, flat_texts, from_json
from syncline.core.appset.questions import PluginQuestion, parameters
from syncline.model.applicationset import PluginGenerator


def plugin_parameters(generator: PluginGenerator, context: Context, field: str) -> Iterator[Parameters]:
    """Yield what the plugin answers, as it is for Go templates and flattened without."""
    given = dict(generator.input.parameters) if generator.input is not None else {}
    sent = {"applicationSetName": context.name, "input": {"parameters": given}}
    question = PluginQuestion(generator.config_map_ref.name, encoding.encode(sent))
    for one in parameters(context.answers, question):
        values: Values = from_json(one) if context.go_template else dict(flat_texts(from_json(one)))
        values["generator"] = {"input": {"parameters": from_json(given)}}
        yield Parameters(context.with_values(values, generator.values), (Origin(field),))
