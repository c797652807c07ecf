"""All programs of a folder through one `lepage run`: python3 batch.py [FOLDER]"""
import json, os, subprocess, sys

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
run = subprocess.run([os.environ.get("LEPAGE", "lepage"), "run", "--format", "json", folder], stdout=subprocess.PIPE, text=True)
for line in map(json.loads, run.stdout.splitlines()):
    if line["status"] != "ok" or "value" in line:
        print(os.path.basename(line["program"]), line["line"], line["status"], line.get("text", ""))
sys.exit(run.returncode)
