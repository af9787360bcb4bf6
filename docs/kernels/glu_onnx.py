"""Gated linear units of ONNX Runtime on the CPU, for docs/glu.md: graphs of operators in float16.

gelu sweep glu_onnx.py:geglu --glu --dtype float16 --intermediate float16 --range=-4:8 --up=0.5,-3
gelu sweep glu_onnx.py:swiglu --glu --form silu --dtype float16 --range=-4:8 --up=0.5,-3
"""

import onnxruntime
from onnx import TensorProto, helper


def graph(*nodes):
    """Return a function that runs nodes (operator, inputs, output, attributes) on gates and ups."""
    gate, up, y = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT16, ["n"])
        for name in ("gate", "up", "y")
    )
    made = [
        helper.make_node(operator, inputs.split(), [output], **attributes)
        for operator, inputs, output, attributes in nodes
    ]
    model = helper.make_model(
        helper.make_graph(made, "glu", [gate, up], [y]),
        opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)],
        ir_version=10,
    )
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return lambda gate, up: session.run(["y"], {"gate": gate, "up": up})[0]


PRODUCT = ("Mul", "f up", "y", {})

geglu = graph(("Gelu", "gate", "f", {"approximate": "none"}), PRODUCT)
geglu_tanh = graph(("Gelu", "gate", "f", {"approximate": "tanh"}), PRODUCT)
geglu_fast = graph(("FastGelu", "gate", "f", {"domain": "com.microsoft"}), PRODUCT)
swiglu = graph(("Sigmoid", "gate", "s", {}), ("Mul", "gate s", "f", {}), PRODUCT)
swiglu_quick = graph(("QuickGelu", "gate", "f", {"domain": "com.microsoft", "alpha": 1.0}), PRODUCT)
