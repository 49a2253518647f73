// An assistant in the terminal: it asks before each call that changes something, and continues yesterday's conversation.
// Both the conversation and the tasks are in the folder `output/terminal`. An empty line ends the program.
import '../local-service.js'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Agent, type Decision, tool, verdict } from '@capstan/core'
import { folderSessions } from '@capstan/core/node'
import * as z from 'zod'

const file = 'output/terminal/tasks.json'
mkdirSync('output/terminal', { recursive: true })
const readTasks = (): string[] => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [])

const listTasks = tool({
  name: 'list_tasks',
  description: 'Lists all tasks',
  parameters: z.object({}),
  effects: 'read',
  execute: () => ({ tasks: readTasks() }),
})

const addTask = tool({
  name: 'add_task',
  description: 'Adds a task to the list',
  parameters: z.object({
    title: z.string().describe('Title of the task'),
    day: z.enum(['today', 'Monday', 'Friday']).describe('Day of the task'),
  }),
  execute({ title, day }) {
    writeFileSync(file, JSON.stringify([...readTasks(), `${day}: ${title}`]))
    return { title, day, added: true }
  },
})

const agent = new Agent({
  model: 'planner',
  instructions: 'You keep the tasks of one person.',
  tools: [listTasks, addTask],
  policy: ({ readsOnly }) => (readsOnly ? verdict.allow : verdict.ask('It changes the list.')),
})

const approve: Decision = { type: 'approve' }
const decline: Decision = { type: 'deny', reason: 'The user declined.' }

const terminal = createInterface({ input: process.stdin })
const lines = terminal[Symbol.asyncIterator]()

/** Asks the person; an end of the input is an empty line. */
async function question(text: string): Promise<string> {
  process.stdout.write(text)
  const { value = '' } = await lines.next()
  // What is typed into a terminal is visible already.
  if (!process.stdin.isTTY) console.log(value)
  return value
}

const session = { store: folderSessions('output/terminal'), id: 'tasks' }
const { messages } = await session.store.load('tasks')
console.log(messages.length > 0 ? `${messages.length} messages from last time.` : 'A new conversation.')

for (let input = await question('> '); input; input = await question('> ')) {
  const run = agent.stream(input, { session, wait: true })
  for await (const event of run) {
    if (event.type === 'text-delta') process.stdout.write(event.text)
    if (event.type === 'call-pending') {
      const reply = await question(`${event.name} ${JSON.stringify(event.arguments)} (y/n) `)
      await run.decide(event.callId, reply === 'y' ? approve : decline)
    }
  }
  console.log()
}
terminal.close()
