import { resolve } from 'node:path'
import { formatType } from '@capstan/core/internal'
import { command } from '../args.js'
import { exitCodes, UsageError } from '../exit-codes.js'
import { formatCount, sanitizeText } from '../format.js'
import { importPackage, loadOptional } from '../optional-package.js'

type McpModule = typeof import('@capstan/mcp')
type PinChange = Awaited<ReturnType<McpModule['acceptPins']>>[number]

/** `capstan mcp`: shows which tools of an MCP server have changed, and pins them. */
export const mcp = command({
  name: 'mcp',
  usage: 'accept FILE',
  summary: 'shows which tools of an MCP server have changed, and pins them',
  details:
    'FILE is the file that mcpTools has as its option `pins`. The changes are those of the last connection.',
  positionals: { least: 2, most: 2 },
  flags: {},
  async run({ positionals: [action, file = ''] }) {
    if (action !== 'accept')
      throw new UsageError(`Unknown action "${action}". Usage: capstan mcp accept FILE`)
    const { acceptPins } = await loadMcp()
    const changes = await acceptPins(resolve(file))
    const lines =
      changes.length === 0
        ? [`${file} has no changes to accept.`]
        : [...changes.flatMap(formatChange), `${file}: ${formatCount(changes.length, 'tool')} pinned.`]
    process.stdout.write(`${lines.map(sanitizeText).join('\n')}\n`)
    return exitCodes.done
  },
})

function formatChange({ name, changed, now }: PinChange): string[] {
  const { title, description = title ?? '', inputSchema, annotations } = now
  return [
    `${name}: ${changed.length === 0 ? 'new' : `changed ${changed.join(', ')}`}`,
    ...description.split('\n').map((line) => `  ${line}`),
    `  ${formatType(inputSchema)}`,
    ...(annotations ? [`  ${JSON.stringify(annotations)}`] : []),
  ]
}

/**
 * Loads `@capstan/mcp` as a file in the current folder would. Falls back to the copy installed next to this command.
 */
function loadMcp(): Promise<McpModule> {
  return loadOptional(
    '@capstan/mcp',
    [() => importPackage<McpModule>('@capstan/mcp', process.cwd()), () => import('@capstan/mcp')],
    'capstan mcp needs @capstan/mcp. Install it: npm install @capstan/mcp',
  )
}
