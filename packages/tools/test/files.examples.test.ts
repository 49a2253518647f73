import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import { editor, reader } from './files.examples.js'
import { temporaryFolder } from './temporary-folder.js'

/** The examples name a folder of where they are run. */
function inFolder(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(files)
  const before = process.cwd()
  process.chdir(folder)
  onTestFinished(() => process.chdir(before))
  return folder
}

test('a reader sees no ignored file, and cannot write', async () => {
  inFolder({ 'notes/a.md': 'A', 'notes/my.key': 'K', 'notes/drafts/b.md': 'B' })
  const model = scriptedModel([
    reply.calls(reply.call('list_files', {}), reply.call('write_file', { path: 'c.md', content: '' })),
    reply.text('Done.'),
  ])
  const { toolCalls } = await reader(model).run('List.')
  expect(toolCalls.map(({ content }) => content)).toEqual([
    'a.md',
    expect.stringContaining('unknown tool "write_file"'),
  ])
})

test('an editor writes and looks, and asks before other commands', async () => {
  const folder = inFolder({ 'notes/a.md': 'A' })
  mkdirSync(join(folder, 'notes/.git'))
  writeFileSync(join(folder, 'notes/.git/HEAD'), '')
  const model = scriptedModel([
    reply.calls(
      reply.call('edit_file', { path: 'a.md', old: 'A', new: 'B' }),
      reply.call('run_command', { command: ['git', 'status', '--short'] }),
      reply.call('run_command', { command: ['git', 'push'] }),
    ),
    reply.text('Done.'),
  ])
  const { toolCalls, pending = [] } = await editor(model).run('Edit.')
  expect(toolCalls.map(({ name }) => name)).toEqual(['edit_file', 'run_command'])
  expect(pending.map(({ arguments: args }) => args)).toEqual([{ command: ['git', 'push'] }])
})
