//! GELU in its tanh form, x·σ(2u): bfloat16s come on stdin, as many results go to stdout.
//!
//!     rustc -O -o gelu_rs gelu_pipe.rs
//!     gelu sweep --exec ./gelu_rs --dtype bfloat16 --form tanh

use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};

fn gelu(x: f32) -> f32 {
    let u = 0.797_884_56 * (x + 0.044_715 * x * x * x);
    x / (1.0 + (-2.0 * u).exp())
}

/// To the nearest bfloat16, ties to even; a NaN stays one.
fn to_bfloat16(x: f32) -> u16 {
    let bits = x.to_bits();
    if x.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

fn main() -> io::Result<()> {
    let mut input = BufReader::new(io::stdin().lock());
    let mut output = BufWriter::new(io::stdout().lock());
    let mut bytes = [0; 2];
    loop {
        match input.read_exact(&mut bytes) {
            Ok(()) => {
                let x = f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16);
                output.write_all(&to_bfloat16(gelu(x)).to_le_bytes())?;
            }
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return output.flush(),
            Err(error) => return Err(error),
        }
    }
}
