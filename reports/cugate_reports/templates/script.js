"use strict";

// On a narrow screen a row of a table of class "stack" is a block, each cell with its column's head before it.
for (const table of document.querySelectorAll("table.stack")) {
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent);
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, place) => {
      if (place > 0 && heads[place] !== "verdict") cell.dataset.head = heads[place];
    });
  }
}
document.documentElement.classList.add("scripted");

// Tables of class "sortable": a click on a column's head sorts by it, numbers by data-value. What has no value comes last.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const keyed = [...body.rows].map((row) => {
        const cell = row.cells[column];
        const value = cell.dataset.value;
        return { row, missing: value === "", key: value === undefined ? cell.textContent.trim() : Number(value) };
      });
      const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
      keyed.sort((a, b) => a.missing - b.missing || (down ? order(b.key, a.key) : order(a.key, b.key)));
      body.append(...keyed.map((entry) => entry.row));
    });
  });
}

// A search field shows the rows of its table that hold every word.
for (const input of document.querySelectorAll("input[data-filters]")) {
  const body = document.getElementById(input.dataset.filters).tBodies[0];
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
}

// What a point of a figure says, on hover, on a tap or click, which keeps it, and by the arrow keys. data-points has of
// each: its place, a heading, and words, which "heads" names where all have the same. A place is across the figure in
// thousandths of its width, or from left and top to right and bottom.
for (const figure of document.querySelectorAll("figure[data-points]")) {
  const { heads, points, link } = JSON.parse(figure.dataset.points);
  const plot = figure.querySelector(".plot");
  const [tip, mark] = ["tip", "mark"].map((name) => {
    const element = document.createElement("div");
    element.className = name;
    element.hidden = true;
    return plot.appendChild(element);
  });
  tip.setAttribute("role", "status");
  plot.tabIndex = 0;
  let [at, kept] = [-1, false];

  const boxOf = (place) => (typeof place === "number" ? [place, 0, place, 1000] : place);
  const sized = (place) => {
    const { width, height } = plot.getBoundingClientRect();
    return boxOf(place).map((part, side) => (part * (side % 2 ? height : width)) / 1000);
  };
  const hide = () => {
    tip.hidden = mark.hidden = true;
    [at, kept] = [-1, false];
  };
  const wordsOf = (words, place) => {
    const line = document.createElement("div");
    const commit = /^([0-9a-f]{7,64})(-dirty)?$/.exec(words);
    if (heads[place]) line.append(`${heads[place]}: `);
    if (link && heads[place] === "commit" && commit) {
      const to = Object.assign(document.createElement("a"), { rel: "noreferrer", textContent: words });
      to.href = link.replaceAll("{commit}", commit[1]);
      line.append(to);
    } else {
      line.append(words);
    }
    return line;
  };
  const show = (index, height) => {
    at = index;
    const [place, heading, ...words] = points[index];
    const title = Object.assign(document.createElement("strong"), { textContent: heading });
    tip.replaceChildren(title, ...words.map(wordsOf).filter((_, place) => words[place]));
    tip.hidden = mark.hidden = false;
    tip.classList.toggle("kept", kept);
    const [left, top, right, bottom] = sized(place);
    const frame = plot.getBoundingClientRect();
    Object.assign(mark.style, { left: `${left - 3}px`, top: `${top - 3}px` });
    Object.assign(mark.style, { width: `${right - left + 6}px`, height: `${bottom - top + 6}px` });
    mark.classList.toggle("line", typeof place === "number");
    // Beside a line at the pointer's height, without one where the figure begins to be in view; else above what it is
    // about, below where there is no space. Always within the figure's width.
    const beside = typeof place === "number";
    const half = tip.offsetHeight / 2;
    const along = Math.min((height ?? half + Math.max(0, -frame.top)) - half, frame.height - 2 * half);
    const middle = (left + right - tip.offsetWidth) / 2;
    const wanted = beside ? (left > frame.width / 2 ? left - tip.offsetWidth - 10 : left + 10) : middle;
    tip.style.left = `${Math.max(0, Math.min(wanted, frame.width - tip.offsetWidth))}px`;
    tip.style.top = `${beside ? Math.max(0, along) : top >= tip.offsetHeight + 8 ? top - tip.offsetHeight - 8 : bottom + 8}px`;
  };
  const nearest = (event) => {
    const { left, top } = plot.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    let [best, least] = [-1, 40]; // pixels: as near as a finger is
    points.forEach(([place], index) => {
      const [from, above, to, below] = sized(place);
      const far = Math.hypot(Math.max(from - x, 0, x - to), Math.max(above - y, 0, y - below));
      if (far < least) [best, least] = [index, far];
    });
    return best;
  };
  const go = (index, event) => {
    if (index < 0) hide();
    else show(index, event.clientY - plot.getBoundingClientRect().top);
  };

  plot.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && !kept) go(nearest(event), event);
  });
  plot.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && !kept) hide();
  });
  plot.addEventListener("click", (event) => {
    if (event.target.closest("a")) return;
    const index = nearest(event);
    kept = index >= 0 && !(kept && index === at);
    go(kept ? index : -1, event);
  });
  plot.addEventListener("focus", () => {
    const last = typeof points[0][0] === "number"; // of nights the newest
    if (plot.matches(":focus-visible")) show(last ? points.length - 1 : 0);
  });
  plot.addEventListener("focusout", (event) => {
    if (!plot.contains(event.relatedTarget)) hide();
  });
  plot.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -points.length, End: points.length };
    if (event.key === "Escape") hide();
    if (!(event.key in steps)) return;
    event.preventDefault();
    kept = true;
    show(Math.max(0, Math.min(at + steps[event.key], points.length - 1)));
  });
}
