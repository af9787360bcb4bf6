"""What a record says of the machine: the first processor, versions, no secret."""

from importlib.metadata import version

from gelu_cli.old.environment import host
from tests.old.every import every

X86 = """processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model name\t: A Processor @ 2.00GHz
flags\t\t: fpu avx2 avx512_bf16 avx2

processor\t: 1
model name\t: Another
flags\t\t: none
"""
ARM = "processor\t: 0\nFeatures\t: fp asimd bf16\nCPU implementer\t: 0x41\n"
RISC_V = "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdcv_zicsr\nuarch\t: thead,c910\n"


@every(
    ("text", "model", "flags"),
    [
        (X86, "A Processor @ 2.00GHz", ["avx2", "avx512_bf16", "fpu"]),
        (ARM, "", ["asimd", "bf16", "fp"]),
        (RISC_V, "", ["rv64imafdcv_zicsr"]),
        ("", "", []),
        ("no colon\n:\n", "", []),
    ],
)
def test_the_first_processor_is_told(text, model, flags):
    assert host.processor(text) == (model, flags)


def test_without_linux_the_rest_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(host, "CPUINFO", str(tmp_path / "none"))
    found = host.host()
    assert found["flags"] == []
    assert found["cpu"]
    assert found["system"]


@every(
    ("name", "value", "told"),
    [
        ("OMP_NUM_THREADS", "4", True),
        ("XLA_FLAGS", "--xla_cpu_enable_fast_math=true", True),
        ("NVIDIA_TF32_OVERRIDE", "0", True),
        ("TF_ENABLE_ONEDNN_OPTS", "1", True),
        ("LD_PRELOAD", "/opt/libm.so", True),
        ("PATH", "/bin", False),
        ("HOME", "/home/me", False),
        ("OMPNUM", "1", False),
        ("TF_VAR_password", "x", False),
        ("NVIDIA_API_KEY", "x", False),
        ("JAX_AUTH_TOKEN", "x", False),
        ("TORCH_SECRETS", "x", False),
        ("JAX_COORDINATOR", "http://me:pass@host", False),
        ("JAX_COORDINATOR", "http://host:80/a@b", True),
    ],
)
def test_variables_are_those_that_decide_figures_and_no_secret(name, value, told):
    assert host.variables({name: value}) == ({name: value} if told else {})


def test_versions_are_those_installed():
    assert host.versions(["numpy", "scipy"]) == {each: version(each) for each in ("numpy", "scipy")}
