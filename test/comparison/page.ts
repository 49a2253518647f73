// The tables of the page, from results; and what differs between the two.
import { sections } from './cases/all.js'
import { sizeRows } from './sizes.js'

/** What runs said: the cells of each case, by the name of the framework's file. */
export interface Results {
  /** Day of the runs. */
  readonly date: string
  readonly node: string
  readonly packages: Readonly<Record<string, readonly Package[]>>
  readonly cells: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** An installed package, by its package.json. */
export interface Package {
  readonly name: string
  readonly version: string
  readonly license?: string
  /** Versions of Node that it asks for. */
  readonly node?: string
}

export interface Difference {
  readonly row: string
  readonly column: string
  /** What the page has. Missing when it has no such row. */
  readonly page: string | undefined
  readonly run: string
}

/** The columns, in the order of the page. */
export const columns: Readonly<Record<string, string>> = {
  capstan: 'Capstan',
  ai: '`ai`',
  'openai-agents': 'OpenAI Agents',
  langchain: 'LangChain',
  mastra: 'Mastra',
  strands: 'Strands',
  tanstack: 'TanStack AI',
  openai: '`openai`',
}

interface Row {
  readonly id: string
  readonly row: string
}

/** The tables whose cells are results. */
export const tables: Readonly<Record<string, readonly Row[]>> = { ...sections, sizes: sizeRows }

/** A heading for the first column of each table. */
const heads: Readonly<Record<string, string>> = {
  servers: 'Server or model',
  approvals: 'Approval',
  replies: 'Reply',
  tools: 'Tool',
  clients: 'Page',
  wires: 'Server or network',
  mcp: 'MCP server',
  kills: 'Killed',
  sizes: 'Size',
}

/** The page with its tables written from results. */
export function writeTables(page: string, results: Results): string {
  return page.replace(block, (_all, start: string, name: string, end: string) => {
    const table = name === 'packages' ? packageTable(results) : caseTable(name, results)
    return `${start}\n${table}\n${end}`
  })
}

/** Cells of the page that are not those of the results. */
export function differencesOf(page: string, results: Results): Difference[] {
  const onPage = cellsOf(page)
  return Object.values(tables)
    .flat()
    .flatMap((played) =>
      Object.entries(columns).flatMap(([peer, column]) => {
        const run = results.cells[played.id]?.[peer]
        const cell = onPage.get(played.row)?.get(column)
        return run === undefined || isSame(run, cell) ? [] : [{ row: played.row, column, page: cell, run }]
      }),
    )
}

/** Sizes grow with each change of a framework: a few kB are not news. */
function isSame(run: string, cell: string | undefined): boolean {
  const [one, other] = [run, cell].map((text) => /^(\d+) kB$/.exec(text ?? '')?.[1])
  return (
    run === cell || (one !== undefined && other !== undefined && Math.abs(Number(one) - Number(other)) <= 3)
  )
}

/** Rows of the page by their names, then columns by theirs. */
function cellsOf(page: string): Map<string, Map<string, string>> {
  const rows = new Map<string, Map<string, string>>()
  for (const [, , , , table = ''] of page.matchAll(blockWithTable)) {
    const [head = [], , ...lines] = table.trim().split('\n').map(toCells)
    for (const [row = '', ...cells] of lines)
      rows.set(row, new Map(cells.map((cell, at) => [head[at + 1] ?? '', cell])))
  }
  return rows
}

const block = /(<!-- table (\w+) -->)\n[\s\S]*?(<!-- \/table -->)/g
const blockWithTable = /(<!-- table (\w+) -->)()\n([\s\S]*?)<!-- \/table -->/g

function toCells(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function caseTable(name: string, { cells }: Results): string {
  const shown = Object.entries(columns).filter(([peer]) =>
    (tables[name] ?? []).some(({ id }) => cells[id]?.[peer] !== undefined),
  )
  return toTable(
    [heads[name] ?? '', ...shown.map(([, column]) => column)],
    (tables[name] ?? []).map(({ id, row }) => [row, ...shown.map(([peer]) => cells[id]?.[peer] ?? '')]),
  )
}

function packageTable({ packages, date, node }: Results): string {
  const rows = Object.entries(columns).flatMap(([peer, column]) =>
    (packages[peer] ?? []).map(({ name, version, license = 'not stated', node = 'not stated' }, at) => [
      at === 0 ? column : '',
      `\`${name}\``,
      version,
      license,
      node.replace('>=', ''),
    ]),
  )
  const table = toTable(['Column', 'Package', 'Version', 'Licence', 'Node, by `engines`'], rows)
  return `${table}\n\nRun on ${date} with Node ${node.slice(1)}.`
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows]
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}
