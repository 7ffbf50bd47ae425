"""Which values play a part, on small networks written down by hand."""

from testimate.models.graph import Node, find_parts, varying_nodes


def test_first_hidden_and_closing_layers_are_found_where_biases_are_added_by_separate_steps():
    nodes = [
        Node("kernel", ("x", "w1"), "conv"),
        Node("bias", ("conv", "b1"), "conv+b"),
        Node("other", ("conv+b",), "relu"),
        Node("dense", ("relu", "w2"), "dense"),
        Node("bias", ("dense", "b2"), "dense+b"),
        Node("softmax", ("dense+b",), "p"),
        Node("pass", ("p",), "out"),
    ]
    parts = find_parts(varying_nodes(nodes, {"w1", "b1", "w2", "b2"}), "out")
    assert (parts.first, parts.hidden, parts.dense) == ("conv+b", "relu", "dense+b")
    assert (parts.closing, parts.before_closing) == ("softmax", "dense+b")


def test_a_product_of_two_values_is_not_a_layer_and_what_leads_nowhere_does_not_count():
    nodes = [
        Node("dense", ("x", "aside"), "nowhere"),
        Node("dense", ("x", "x"), "attention"),
        Node("pass", ("w",), "turned"),  # of a constant: a constant
        Node("dense", ("attention", "turned"), "scores"),
    ]
    parts = find_parts(varying_nodes(nodes, {"w", "aside"}), "scores")
    assert (parts.first, parts.hidden, parts.closing) == ("scores", "attention", None)


def test_without_a_dense_layer_the_last_convolution_takes_its_place():
    nodes = [Node("kernel", ("x", "w"), "a"), Node("kernel", ("a", "w"), "b"), Node("other", ("b",), "pooled")]
    parts = find_parts(varying_nodes(nodes, {"w"}), "pooled")
    assert (parts.first, parts.hidden, parts.before_closing) == ("a", "a", "pooled")


def test_a_model_without_weights_has_neither_a_first_nor_a_hidden_layer():
    parts = find_parts(varying_nodes([Node("softmax", ("x",), "p")], ()), "p")
    assert (parts.first, parts.hidden, parts.dense, parts.closing, parts.before_closing) == (
        None,
        None,
        "p",
        "softmax",
        "x",
    )
