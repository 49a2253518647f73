/** A line that both have, or only one of them: by its places in them. */
export interface ComparedLine {
  readonly expected?: number
  readonly seen?: number
}

/** Two texts line by line: what is alike stays, in the longest order that both have. */
export function compareLines(expected: readonly string[], seen: readonly string[]): ComparedLine[] {
  let start = 0
  while (start < expected.length && start < seen.length && expected[start] === seen[start]) start++
  let end = 0
  const isAlikeFromEnd = () => expected[expected.length - 1 - end] === seen[seen.length - 1 - end]
  while (end < Math.min(expected.length, seen.length) - start && isAlikeFromEnd()) end++
  const middle = {
    expected: expected.slice(start, expected.length - end),
    seen: seen.slice(start, seen.length - end),
  }
  const alike = (count: number, from: ComparedLine) =>
    Array.from({ length: count }, (_, at) => shifted({ expected: at, seen: at }, from))
  return [
    ...alike(start, { expected: 0, seen: 0 }),
    ...compareMiddle(middle).map((line) => shifted(line, { expected: start, seen: start })),
    ...alike(end, { expected: expected.length - end, seen: seen.length - end }),
  ]
}

function shifted({ expected, seen }: ComparedLine, by: ComparedLine): ComparedLine {
  return {
    ...(expected === undefined ? {} : { expected: expected + (by.expected ?? 0) }),
    ...(seen === undefined ? {} : { seen: seen + (by.seen ?? 0) }),
  }
}

interface Middle {
  readonly expected: readonly string[]
  readonly seen: readonly string[]
}

/** Beyond this many pairs of lines nothing of the middle counts as alike: it would take too long to tell. */
const mostPairs = 4_000_000

function compareMiddle({ expected, seen }: Middle): ComparedLine[] {
  const [rows, columns] = [expected.length, seen.length]
  const isTooLong = rows * columns > mostPairs
  const common = isTooLong ? [] : commonLengths({ expected, seen })
  const lengthAt = (row: number, column: number) => common[row]?.[column] ?? 0
  const lines: ComparedLine[] = []
  let [row, column] = [0, 0]
  while (row < rows || column < columns) {
    if (!isTooLong && row < rows && column < columns && expected[row] === seen[column])
      lines.push({ expected: row++, seen: column++ })
    else if (row < rows && (column === columns || lengthAt(row + 1, column) >= lengthAt(row, column + 1)))
      lines.push({ expected: row++ })
    else lines.push({ seen: column++ })
  }
  return lines
}

/** How many lines the rests from each pair of places have in common. */
function commonLengths({ expected, seen }: Middle): Uint32Array[] {
  const lengths = Array.from({ length: expected.length + 1 }, () => new Uint32Array(seen.length + 1))
  for (let row = expected.length - 1; row >= 0; row--) {
    const [here, below] = [lengths[row] as Uint32Array, lengths[row + 1] as Uint32Array]
    for (let column = seen.length - 1; column >= 0; column--)
      here[column] =
        expected[row] === seen[column]
          ? (below[column + 1] ?? 0) + 1
          : Math.max(below[column] ?? 0, here[column + 1] ?? 0)
  }
  return lengths
}
