// How labeling stands: what Python delivered, corrected by the events it has not taken in yet.

// Rows to label, in order.
function openRows(view, outbox) {
  const last = outbox.lastOfRows();
  const queued = view.queue.map((item) => item.row);
  const closed = (row) => last.has(row) && last.get(row).kind !== "undo";
  const back = [...last.values()].filter((event) => event.kind === "undo" && !queued.includes(event.row));
  return [...back.reverse().map((event) => event.row), ...queued.filter((row) => !closed(row))];
}

// The last answers, oldest first.
function lastAnswers(view, outbox) {
  let answers = view.history.slice();
  for (const event of outbox.events) {
    if (event.kind === "flag" || event.kind === "skip") continue;
    answers = answers.filter((entry) => entry.row !== event.row);
    if (event.kind === "undo") continue;
    const label = event.kind === "answer" ? answerWords(event.answer, view.task) : "cannot tell";
    const answer = event.kind === "answer" ? event.answer : null;
    answers.push({ row: event.row, position: event.position, answer, label, failed: null });
  }
  return answers;
}

function answerWords(answer, { classes }) {
  if (Array.isArray(answer)) return answer.map((place) => classes[place] ?? "?").join(", ") || "none";
  return classes.length ? (classes[answer] ?? "?") : String(answer);
}

// How many inputs are answered.
function labeledCount(view, outbox) {
  const before = new Set(view.history.map((past) => past.row));
  const settled = [...outbox.lastOfRows().values()];
  const more = settled.filter((event) => event.kind !== "undo" && event.kind !== "skip" && !before.has(event.row));
  const less = settled.filter((event) => event.kind === "undo" && before.has(event.row));
  return view.labeled + more.length - less.length;
}
