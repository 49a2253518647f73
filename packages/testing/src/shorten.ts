const most = 120

/** A line that is not longer than can be read at once: its end is left out. */
export function shorten(line: string): string {
  return line.length <= most ? line : `${whole(line.slice(0, most - 1))}…`
}

/** Two lines that differ, each shortened around the place where they do. */
export function shortenPair(one: string, other: string): [string, string] {
  if (one.length <= most && other.length <= most) return [one, other]
  let start = 0
  while (start < Math.min(one.length, other.length) && one[start] === other[start]) start++
  const indent = /^ */.exec(one)?.[0].length ?? 0
  const from = Math.max(indent, start - before)
  return [around(one, { from, indent }), around(other, { from, indent })]
}

/** Characters that are shown in front of a difference. */
const before = 40

function around(line: string, { from, indent }: { from: number; indent: number }): string {
  if (from <= indent + before) return shorten(line)
  return shorten(`${line.slice(0, indent)}…${whole(line.slice(from))}`)
}

/** Without halves of characters that are written as two. */
function whole(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
}
