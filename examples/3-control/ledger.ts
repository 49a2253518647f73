// A budget over many runs: three requests and 50,000 tokens a day for each user.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, ledger, memoryLedger } from '@capstan/core'
import { weather } from '../tools.js'

const budget = ledger({
  store: memoryLedger(),
  key: ({ user }: { user: string }) => user,
  limits: { requests: 3, tokens: 50_000 },
  per: 'day',
})
const agent = new Agent({ model: 'planner', tools: [weather], middleware: [budget] })
for (const user of ['ada', 'ada', 'bob']) {
  const { stopReason, limit, text } = await agent.run('What is the weather in Oslo?', { context: { user } })
  console.log(`${user}: ${stopReason}`, limit ?? text)
}
