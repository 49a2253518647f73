// Files of a folder, and commands in it: reading runs, writing and other commands need approval.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { Agent, type PendingCall } from '@capstan/core'
import { fileTools, shellTool } from '@capstan/tools/files'

await mkdir('output/notes', { recursive: true })
await writeFile('output/notes/plan.md', '# Plan\n\n- Paint the boat red.\n- Call Ada.\n')

// #region tools
const tools = [...fileTools('output/notes'), shellTool({ cwd: 'output/notes', allow: ['ls'] })]
const agent = new Agent({ model: 'planner', tools })
// #endregion
const approve = ({ callId }: PendingCall) => [callId, { type: 'approve' as const }]

for (const task of [
  'Search the files for "boat".',
  'Edit the file plan.md: replace the old text "red" by the new text "blue".',
  'Read the file "../secret.txt".',
  'Run the command "ls".',
  'Run the command "whoami".',
]) {
  const { toolCalls, pending = [], state } = await agent.run(task)
  for (const { name, content } of toolCalls) console.log(`${name}: ${content}`)
  for (const { name, arguments: args } of pending) console.log(`${name} waits:`, args)
  if (pending[0]?.name !== 'edit_file') continue
  const { text } = await agent.run(state, { decisions: Object.fromEntries(pending.map(approve)) })
  console.log(text)
}
console.log(await readFile('output/notes/plan.md', 'utf8'))
