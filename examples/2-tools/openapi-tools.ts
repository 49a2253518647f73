// Tools of an API, from its OpenAPI document. Here the API is the local service.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { readFile } from 'node:fs/promises'
import { Agent } from '@capstan/core'
import { openapiTools } from '@capstan/tools/openapi'

const file = new URL('./openapi-tools/service.json', import.meta.url)
// #region tools
const { tools, skipped } = openapiTools(await readFile(file, 'utf8'), {
  allow: ['GET *', 'speak'],
  baseURL: process.env.OPENAI_BASE_URL ?? '',
  auth: { key: () => process.env.OPENAI_API_KEY ?? '' },
  settings: ({ id }) => (id === 'speak' ? { effects: 'read' } : {}),
})
const agent = new Agent({ model: 'planner', tools: [...tools] })
// #endregion
console.log(tools.map(({ name }) => name).join(', '), skipped.length)

const { toolCalls, artifacts } = await agent.run(
  'List the voices, then speak the text "Good morning, Oslo." as wav.',
)
for (const { name, status, content } of toolCalls) console.log(name, status, content.slice(0, 90))
for (const { kind, mediaType } of artifacts) console.log(kind, mediaType)
