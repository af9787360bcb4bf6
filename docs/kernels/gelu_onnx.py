"""ONNX Runtime's GELU on the CPU: a graph of one node, for arrays of numpy in float32.

gelu sweep gelu_onnx.py:gelu
gelu sweep gelu_onnx.py:gelu_tanh --form tanh
"""

import onnxruntime
from onnx import TensorProto, helper


def graph(approximate):
    """Return a function that runs Gelu, of ONNX's operators since version 20."""
    node = helper.make_node("Gelu", ["x"], ["y"], approximate=approximate)
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy")
    model = helper.make_model(
        helper.make_graph([node], "gelu", [x], [y]),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=10,
    )
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return lambda x: session.run(["y"], {"x": x})[0]


gelu, gelu_tanh = graph("none"), graph("tanh")
