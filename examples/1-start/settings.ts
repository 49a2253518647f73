// Settings: common request fields have one name for all servers; others are sent unchanged.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent } from '@capstan/core'

const agent = new Agent({
  model: 'planner',
  settings: { temperature: 0, maxTokens: 100, user: 'ann' },
})

const whole = await agent.run('Hello.')
console.log(`${whole.stopReason}: ${whole.text}`)

// Run settings override the agent's settings.
const short = await agent.run('Hello.', { settings: { maxTokens: 3 } })
console.log(`${short.stopReason}: ${short.text}`)

// Setting a field under two names is an error.
try {
  new Agent({ model: 'planner', settings: { maxTokens: 100, max_tokens: 200 } })
} catch (error) {
  console.log(String(error))
}
