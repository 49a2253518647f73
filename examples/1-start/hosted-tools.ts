// Tools that the model's server runs itself. A model whose protocol has none throws before anything is sent.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, chatModel, hosted } from '@capstan/core'
import { responsesModel } from '@capstan/core/responses'

// #region hosted
export const searching = new Agent({
  model: responsesModel('gpt-5-mini'),
  tools: [hosted({ type: 'web_search' })],
})

export async function ask(question: string) {
  const { text, sources = [] } = await searching.run(question)
  return [text, ...sources.map(({ title, url }) => `${title}: ${url}`)].join('\n')
}
// #endregion

const agent = new Agent({ model: chatModel('planner'), tools: [hosted({ type: 'web_search' })] })
const failed: unknown = await agent.run('Search for news.').catch((error: unknown) => error)
console.log(failed instanceof Error ? failed.message : failed)
