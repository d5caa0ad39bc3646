// Making elements, and keeping lists of them in step with data without making them anew:
// whoever has the focus, or is being read aloud, stays where they are.

// Return an element; texts and elements become its children.
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") element.addEventListener("click", value);
    else if (value !== null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// Set a text only if it differs: an equal one is not announced again.
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Let the children of an element be those of the items, in their order.
//
// keyOf gives each item its name, create makes an element for a new one, and update fills it.
// Of items with one name each is told from the others by its position among them.
export function keep(parent, items, { keyOf, create, update }) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const seen = new Map();
  let next = parent.firstElementChild;
  for (const item of items) {
    const name = keyOf(item);
    seen.set(name, (seen.get(name) ?? 0) + 1);
    const key = `${name} ${seen.get(name)}`;
    let child = known.get(key);
    known.delete(key);
    if (!child) {
      child = create(item);
      child.dataset.key = key;
    }
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
    update(child, item);
  }
  for (const child of known.values()) child.remove();
}

const COLOURS = 12;
const colours = new Map();

// Return the class of a unit's colour, the same as long as the page is open; the next unit has
// the next colour, so that those that are there together differ as far as colours go.
export function colour(unit) {
  const key = `${unit.kind}/${unit.namespace}/${unit.name}`;
  if (!colours.has(key)) colours.set(key, colours.size % COLOURS);
  return `gang-${colours.get(key)}`;
}

// Return the name people use; the default namespace goes without saying.
export function unitName(unit) {
  return unit.namespace === "default" ? unit.name : `${unit.namespace}/${unit.name}`;
}

// Return "1 node" or "2 nodes".
export function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

// Return a duration in its two largest units, as kubectl does.
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 120) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h${minutes % 60}m` : `${Math.floor(hours / 24)}d${hours % 24}h`;
}
