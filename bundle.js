// Bundles each component into one file of testimate/ui/components/bundle, which Streamlit serves: npm run bundle. With --check
// nothing is written, and it fails where what is there is not what the sources give.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { build } from "esbuild";

const COMPONENTS = "testimate/ui/components";
const FOLDER = `${COMPONENTS}/bundle`;
const ENTRIES = {
  command_palette: "command_palette/palette.ts",
  labeling_surface: "labeling_surface/for_streamlit.ts",
  late_answers: "labeling_surface/late_answers.ts",
  map_picks: "linked_pictures/map_picks.ts",
  map_pictures: "linked_pictures/map_pictures.ts",
  map_pointer: "linked_pictures/map_pointer.ts",
  notebook: "labeling_surface/for_notebook.ts",
  picture_wall: "linked_pictures/picture_wall.ts",
  server_away: "server_away.ts",
  spoken_status: "spoken_status.ts",
  window_changes: "window_changes.ts",
};

const { outputFiles } = await build({
  entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, `${COMPONENTS}/${file}`])),
  outdir: FOLDER,
  entryNames: "[name]-[hash]",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  loader: { ".css": "text", ".html": "text" },
  sourcemap: "linked",
  charset: "utf8",
  legalComments: "inline",
  preserveSymlinks: true, // where node_modules is a link, as in a worktree, the same files come out
  write: false,
});
const made = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
made.set("LICENSES.txt", `What the scripts hold of others: marked.\n\n${await readFile("node_modules/marked/LICENSE", "utf8")}`);
await mkdir(FOLDER, { recursive: true });
const there = await readdir(FOLDER);

if (process.argv.includes("--check")) {
  const stale = there.filter((name) => !made.has(name));
  for (const [name, text] of made) {
    if (!there.includes(name) || await readFile(`${FOLDER}/${name}`, "utf8") !== text) stale.push(name);
  }
  if (stale.length) {
    console.error(`${FOLDER} is not what its sources give: ${stale.join(", ")}. Run: npm run bundle`);
    process.exitCode = 1;
  }
} else {
  for (const name of there) if (!made.has(name)) await rm(`${FOLDER}/${name}`);
  for (const [name, text] of made) await writeFile(`${FOLDER}/${name}`, text);
}
