// The official servers, as the registry has them: each text reaches the model once, and a question waits. Run by .ci/long.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type RunState } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { type McpTools, mcpTools } from '../src/index.js'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-servers-')))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const names = ['everything', 'filesystem', 'memory'] as const
const packageOf = (name: string) => `@modelcontextprotocol/server-${name}`
writeFileSync(join(folder, 'package.json'), '{"private":true}')
execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...names.map(packageOf)], {
  cwd: folder,
  stdio: ['ignore', 'ignore', 'inherit'],
})

const marker = 'marker 7f3a'
writeFileSync(join(folder, 'note.txt'), `${marker}\n`)

const optionsOf = (name: (typeof names)[number], ...args: string[]) => ({
  command: process.execPath,
  args: [join(folder, 'node_modules', packageOf(name), 'dist/index.js'), ...args],
  env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
  settings: () => ({ effects: 'read' as const }),
})

/** What a model reads of a call. */
async function contentOf(server: McpTools, name: string, args: object): Promise<string> {
  const model = scriptedModel([reply.call(name, { ...args }), reply.text('Done.')])
  const { toolCalls } = await new Agent({ model, tools: server.tools }).run('Go.')
  const [call] = toolCalls
  if (call?.status !== 'ok') throw new Error(`${name}: ${call?.content}`)
  return call.content
}

async function expectOnce(server: McpTools, name: string, args: object, text = marker): Promise<void> {
  const content = await contentOf(server, name, args)
  const times = content.split(text).length - 1
  if (times !== 1) throw new Error(`${name} gives ${JSON.stringify(text)} ${times} times: ${content}`)
  calls += 1
}

let calls = 0

{
  await using server = await mcpTools(optionsOf('filesystem', folder))
  const path = join(folder, 'note.txt')
  await expectOnce(server, 'read_text_file', { path })
  await expectOnce(server, 'read_multiple_files', { paths: [path] })
  await expectOnce(server, 'write_file', { path: join(folder, 'other.txt'), content: 'x' }, 'other.txt')
  await expectOnce(server, 'list_directory', { path: folder }, 'note.txt')
  await expectOnce(server, 'get_file_info', { path }, 'permissions')
  await expectOnce(server, 'list_allowed_directories', {}, folder)
  await expectOnce(server, 'edit_file', { path, edits: [{ oldText: marker, newText: 'else' }] }, `-${marker}`)
}
{
  await using server = await mcpTools(optionsOf('memory'))
  const entities = [{ name: marker, entityType: 'note', observations: ['seen'] }]
  await expectOnce(server, 'create_entities', { entities })
  await expectOnce(server, 'read_graph', {})
  await expectOnce(server, 'search_nodes', { query: marker })
  await expectOnce(server, 'open_nodes', { names: [marker] })
}
{
  await using server = await mcpTools(optionsOf('everything', 'stdio'))
  await expectOnce(server, 'echo', { message: marker })
  await expectOnce(server, 'get-sum', { a: 20, b: 22 }, '42')
  await expectOnce(server, 'get-structured-content', { location: 'New York' }, 'temperature')
  await expectOnce(server, 'get-annotated-message', { messageType: 'success' }, 'Operation completed')
  const model = () =>
    scriptedModel([reply.call('trigger-elicitation-request', {}, { id: 'c1' }), reply.text('Done.')])
  const first = await new Agent({ model: model(), tools: server.tools }).run('Go.')
  const [asked] = first.pending ?? []
  if (asked?.kind !== 'input' || !asked.schema)
    throw new Error(`No question: ${JSON.stringify(first.pending)}`)
  const state: RunState = JSON.parse(JSON.stringify(first.state))
  const value = { name: marker }
  const again = new Agent({ model: scriptedModel([reply.text('Done.')]), tools: server.tools })
  const { toolCalls } = await again.run(state, { decisions: { [asked.callId]: { type: 'result', value } } })
  if (!toolCalls[0]?.content.includes(marker)) throw new Error(`No answer: ${toolCalls[0]?.content}`)
  calls += 1
}
console.log(`${calls} calls of ${names.length} servers give each text once, and one of them asked`)
