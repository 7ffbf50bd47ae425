// Lets Node run the sources, which are TypeScript, and what they take in as text: node --import with this file.
import { readFile } from "node:fs/promises";
import { register } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";

if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  const [, ending] = /\.(ts|css|html)$/.exec(url) ?? [];
  if (!ending) return next(url, context);
  const { transform } = await import("esbuild");
  const loader = ending === "ts" ? "ts" : "text";
  const { code } = await transform(await readFile(fileURLToPath(url), "utf8"), { loader, format: "esm", sourcemap: "inline" });
  return { format: "module", source: code, shortCircuit: true };
}
