import { askServer } from '../ask-server.js'
import { demand, type ServerCheck, skip } from '../server-check.js'
import { callsOf, readChoice } from '../server-reading.js'
import { askWeather, callsOrSkip, demandWeatherCall, forced, greeting, tools } from './weather.js'

/** Answers that are not streamed. */
export const plainChecks: readonly ServerCheck[] = [
  {
    id: 'plain-text',
    title: 'a question is answered by a message with text and a finish reason',
    async run(server) {
      const { message, finish_reason } = readChoice(await askServer(server, { messages: [greeting] }))
      demand(message.role === 'assistant', `the role is ${JSON.stringify(message.role)}`)
      demandText(message.content)
      demand(finish_reason === 'stop', `the finish reason is ${JSON.stringify(finish_reason)}`)
    },
  },
  {
    id: 'plain-type',
    title: 'a plain answer is application/json',
    async run(server) {
      const { contentType } = await askServer(server, { messages: [greeting] })
      demand(/^application\/json\b/i.test(contentType), `the content type is "${contentType}"`)
    },
  },
  {
    id: 'plain-usage',
    title: 'a plain answer counts its tokens',
    async run(server) {
      const { body } = await askServer(server, { messages: [greeting] })
      demandUsage((body as { usage?: unknown } | undefined)?.usage)
    },
  },
  {
    id: 'call-auto',
    title: 'tool_choice auto: a question that fits the tool gets a whole call of it',
    async run(server) {
      const { message } = readChoice(await askWeather(server))
      for (const call of callsOrSkip(message)) demandWeatherCall(call)
    },
  },
  {
    id: 'call-forced',
    title: 'a forced tool is called',
    async run(server) {
      const { message } = readChoice(await askWeather(server, { tool_choice: forced }))
      demand(callsOf(message).length > 0, `the answer is ${JSON.stringify(message).slice(0, 160)}`)
      demandWeatherCall(callsOf(message)[0])
    },
  },
  {
    id: 'call-reason',
    title: 'the finish reason of calls is tool_calls',
    async run(server) {
      const { message, finish_reason } = readChoice(await askWeather(server))
      callsOrSkip(message)
      demand(finish_reason === 'tool_calls', `the finish reason is ${JSON.stringify(finish_reason)}`)
    },
  },
  {
    id: 'call-none',
    title: 'tool_choice none is answered in words',
    async run(server) {
      const { message } = readChoice(await askWeather(server, { tool_choice: 'none' }))
      demand(callsOf(message).length === 0, `there are ${callsOf(message).length} calls`)
      demandText(message.content)
    },
  },
  {
    id: 'call-ids',
    title: 'calls of one answer have ids of their own',
    async run(server) {
      const messages = [{ role: 'user', content: 'What is the weather in Oslo and in Rome?' }]
      const { message } = readChoice(await askServer(server, { messages, tools, tool_choice: 'auto' }))
      const calls = callsOrSkip(message)
      if (calls.length === 1) skip('the model made one call')
      const ids = calls.map(({ id }) => id)
      demand(new Set(ids).size === ids.length, `the ids are ${JSON.stringify(ids)}`)
      for (const call of calls) demandWeatherCall(call)
    },
  },
]

/** Demands text that says something. */
export function demandText(content: unknown): void {
  demand(
    typeof content === 'string' && content.trim() !== '',
    `the content is ${JSON.stringify(content)?.slice(0, 120)}`,
  )
}

/** Demands the three counts, and that they add up. */
export function demandUsage(usage: unknown): void {
  const { prompt_tokens, completion_tokens, total_tokens } = (usage ?? {}) as Record<string, unknown>
  const seen = `the usage is ${JSON.stringify(usage)}`
  demand(typeof prompt_tokens === 'number' && typeof completion_tokens === 'number', seen)
  demand(total_tokens === prompt_tokens + completion_tokens, seen)
}
