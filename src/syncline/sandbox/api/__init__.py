"""One request from path to answer: routing, decoding, the verbs, shapes, watches."""
