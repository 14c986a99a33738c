// SPDX-License-Identifier: MIT
//
// Runs an exported model in ONNX Runtime; tools/onnx_runtime.py calls this.
//
//   node onnx_run.cjs RUNTIME run MODEL INPUT C,H,W BATCH THREADS OUTPUT   every output goes to the file OUTPUT.NAME
//
// RUNTIME is the folder that tools/install-onnxruntime prints. INPUT has floats, little-endian. Prints JSON.
"use strict";
const fs = require("fs");
const path = require("path");

const [runtime, verb, model, ...words] = process.argv.slice(2);
const ort = require(path.join(runtime, "node_modules", "onnxruntime-node"));
const version = require(path.join(runtime, "node_modules", "onnxruntime-node", "package.json")).version;

const open = (threads) => ort.InferenceSession.create(model, {
  executionProviders: ["cpu"], graphOptimizationLevel: "all", executionMode: "sequential",
  intraOpNumThreads: Number(threads), interOpNumThreads: 1,
});
const dims = (text) => text.split(",").map(Number);
const product = (numbers) => numbers.reduce((a, b) => a * b, 1);
const bytes = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

async function run([input, shape, batch, threads, output]) {
  const session = await open(threads);
  const file = fs.readFileSync(input);
  const values = new Float32Array(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength));
  const size = product(dims(shape)), count = values.length / size;
  const parts = {}, types = {};
  for (let first = 0; first < count; first += Number(batch)) {
    const n = Math.min(Number(batch), count - first);
    const images = new ort.Tensor("float32", values.subarray(first * size, (first + n) * size), [n, ...dims(shape)]);
    const results = await session.run({ [session.inputNames[0]]: images });
    for (const name of session.outputNames) {
      (parts[name] ??= []).push(Buffer.from(bytes(results[name].data)));
      types[name] = { type: results[name].type, dims: [count, ...results[name].dims.slice(1)] };
    }
  }
  for (const name of session.outputNames) fs.writeFileSync(`${output}.${name}`, Buffer.concat(parts[name]));
  return { version, outputs: types };
}

({ run })[verb](words).then((result) => console.log(JSON.stringify(result)),
  (error) => { console.error(`onnx_run: ${model}: ${error.message}`); process.exitCode = 1; });
