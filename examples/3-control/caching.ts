// Cost and caching: each request starts with the previous one, so a server can read that part from its cache.
import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import * as z from 'zod'

const readPage = tool({
  name: 'read_page',
  description: 'Reads a page',
  parameters: z.object({ page: z.number() }),
  maxResultBytes: 1000,
  execute: ({ page }) => `Page ${page}. ${'Snow is falling. '.repeat(page === 3 ? 100 : 20)}`,
})
const tokens = (inputTokens: number) => ({ inputTokens, outputTokens: 20, totalTokens: inputTokens + 20 })
const pages = [1, 2, 3, 4].map((page, at) => {
  return { ...reply.call('read_page', { page }), tokens: tokens(200 + 120 * at) }
})
const agent = new Agent({
  model: scriptedModel([...pages, { ...reply.text('It snows.'), tokens: tokens(900) }], { name: 'small' }),
  tools: [readPage],
  price: { small: { inputTokens: 1e-6, cachedInputTokens: 1e-7, outputTokens: 4e-6 } },
  observe: (event) => {
    if (event.type === 'prefix-broken')
      console.log(`step ${event.step}: ${event.at}, because of ${event.because}`)
    if (event.type === 'step-end') console.log(`step ${event.step}: cost ${event.cost}`)
  },
})
const { usage } = await agent.run('What is on the four pages?')
console.log(`cost ${usage.cost}, ${Math.round(100 * (usage.cacheable ?? 0))} % of the input can be cached`)
