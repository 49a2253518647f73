import { type AnyTool, memoryArtifacts } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { findTools, pickTool } from '../file/find-tools.js'
import { loadFile } from '../file/load-file.js'
import { readInput } from '../file/read-input.js'
import { command, type Line } from '../line/command.js'
import { exits } from '../line/exits.js'
import { interruption } from '../run/interruption.js'
import { withContext } from '../run/run-options.js'
import { tellError } from '../say/tell-error.js'
import { openScreen } from '../screen/open-screen.js'
import type { Screen } from '../screen/screen.js'
import { callAlone } from '../tool/call-alone.js'
import { toolLines } from '../tool/tool-lines.js'

const flags = {
  out: {
    type: 'string',
    value: 'DIR',
    says: 'the folder of artifacts: what was made there before can be used by its id',
  },
  context: { type: 'string', value: 'JSON', says: 'what the tool is told of the run' },
  json: { type: 'boolean', says: 'list tools as a model is shown them' },
} as const

/** `capstan tool` */
export const tool = command({
  name: 'tool',
  form: 'FILE [NAME [ARGUMENTS]]',
  says: 'lists the tools of a file, or calls one',
  more: 'The arguments are JSON; without them, or with -, they are read from what is piped in. The result goes to stdout.',
  words: { least: 1, most: 3 },
  flags,
  async run({ words: [file = '', name, given], flags }) {
    const screen = openScreen(flags['no-color'])
    const tools = findTools(await loadFile(file), file)
    if (name === undefined) return list(tools, flags.json ?? false, screen)
    const found = pickTool(tools, name)
    const piped = given === undefined || given === '-' ? await readInput(given === '-') : given
    return call(found, piped?.trim() || '{}', { flags, screen })
  },
})

function list(tools: readonly AnyTool[], asJson: boolean, screen: Screen): number {
  const definitions = tools.map(({ definition }) => definition)
  const text = asJson
    ? JSON.stringify(definitions, null, 2)
    : tools.flatMap((one) => toolLines(one, screen.paint)).join('\n')
  process.stdout.write(`${text}\n`)
  return exits.done
}

interface Calling {
  readonly flags: Line<typeof flags>['flags']
  readonly screen: Screen
}

async function call(tool: AnyTool, json: string, { flags, screen }: Calling): Promise<number> {
  const artifacts = flags.out === undefined ? memoryArtifacts() : folderArtifacts(flags.out)
  const work = interruption()
  const options = { artifacts, signal: work.signal, ...withContext(flags.context) }
  const { status, result, content, thrown } = await callAlone(tool, json, options)
  work.release()
  if (status === 'ok') {
    process.stdout.write(`${JSON.stringify(result ?? null, null, 2)}\n`)
    return exits.done
  }
  const why = thrown === undefined ? content.replace(/^Error: /, '') : thrown
  screen.line(`capstan: ${tellError(why, flags.debug)}`)
  return work.exit ?? exits.error
}
