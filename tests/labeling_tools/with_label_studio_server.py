"""Labels a plan in Label Studio itself, the server: with_label_studio_server.py TASKS.json TRUTH.json EXPORT.json.

Runs in its environment, which has no Testimate: a server on a free port with a new database, a project with the exported
interface, the tasks imported, each picture fetched from its local storage, each task annotated, the project exported.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
from label_studio_sdk import LabelStudio

TOKEN = "0123456789abcdef0123456789abcdef01234567"
SETTINGS = {
    "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED": "true",
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
}


def start(root: Path, folder: str) -> tuple[subprocess.Popen[bytes], str]:
    """A server that gives out the files in ``root``, once it answers, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    program = Path(sys.executable).with_name("label-studio")
    user = ["--username", "lea@example.org", "--password", "a password of hers", "--user-token", TOKEN]
    where = ["--internal-host", "127.0.0.1", "--port", str(port), "--data-dir", folder]
    environment = {**os.environ, **SETTINGS, "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT": str(root)}
    with open(Path(folder) / "log", "wb") as log:
        server = subprocess.Popen(
            [program, "start", "--no-browser", *where, *user], env=environment, stdout=log, stderr=log
        )
    for _ in range(300):
        try:
            if httpx.get(f"{address}/health").status_code == 200:
                return server, address
        except httpx.HTTPError:
            time.sleep(1)  # until it listens
        if server.poll() is not None:
            break
    server.kill()
    sys.exit("Label Studio did not start:\n" + (Path(folder) / "log").read_text()[-3000:])


def main(tasks_file: str, truth_file: str, export_file: str) -> None:
    tasks, truth = json.loads(Path(tasks_file).read_text()), json.loads(Path(truth_file).read_text())
    root = Path(tasks_file).parent
    allowed = {"Authorization": f"Token {TOKEN}"}
    with tempfile.TemporaryDirectory() as folder:
        server, address = start(root, folder)
        try:
            client = LabelStudio(base_url=address, api_key=TOKEN)
            project = client.projects.create(title="a plan", label_config=Path(tasks_file + ".xml").read_text())
            client.projects.import_tasks(id=project.id, request=tasks)
            client.import_storage.local.create(
                project=project.id, path=str(root / "data"), use_blob_urls=True, title="pictures"
            )
            guesses = list(client.predictions.list(project=project.id))
            assert len(guesses) == len(tasks), guesses
            assert {one.model_version for one in guesses} == {"t.csv"}, guesses[0]
            for task in list(client.tasks.list(project=project.id, fields="all")):
                picture = httpx.get(address + task.data["image"], headers=allowed)
                assert picture.content == (root / "data" / f"{task.data['key']}.png").read_bytes()
                value = {"choices": [truth[str(task.data["row"])]]}
                result = {"from_name": "label", "to_name": "input", "type": "choices", "value": value}
                client.annotations.create(id=task.id, result=[result])
            export = httpx.get(
                f"{address}/api/projects/{project.id}/export?exportType=JSON", headers=allowed, timeout=60
            )
            Path(export_file).write_text(export.raise_for_status().text)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
