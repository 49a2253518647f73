// Sessions: the store keeps each conversation by its id, and a branch continues differently from an earlier message.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent } from '@capstan/core'
import { sqliteSessions } from '@capstan/stores/sqlite'
import Database from 'libsql'
import { weather } from '../tools.js'

// Pass the name of a file to keep conversations: 'chats.db'.
const store = sqliteSessions(new Database(':memory:'))
const agent = new Agent({ model: 'planner', tools: [weather] })

for (const city of ['Oslo', 'Rome']) {
  const result = await agent.run(`What is the weather in ${city}?`, { session: { store, id: 'ada' } })
  console.log(result.session, result.text)
}

const { messages } = await store.load('ada')
const at = messages.findLastIndex(({ role }) => role === 'user')
const branch = { store, id: 'ada', at, as: 'ada-in-lisbon' }
const { text } = await agent.run('What is the weather in Lisbon?', { session: branch })
console.log(text)
for (const id of ['ada', branch.as]) {
  const stored = await store.load(id)
  const questions = stored.messages.filter(({ role }) => role === 'user')
  console.log(id, questions.map(({ content }) => content).join(' '))
}
