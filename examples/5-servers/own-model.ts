// Chat from another server, images and speech from the local service: one URL for the client.
import { startService } from '@capstan/service'
import OpenAI from 'openai'

async function main(): Promise<void> {
  // Any OpenAI-style server; here a second local service, with one scripted reply.
  const script = [{ when: '/./', answer: 'I am the other server.' }]
  const other = await startService({ script })

  // #region upstream
  const service = await startService({
    upstream: { url: other.baseURL, apiKey: other.apiKey },
  })
  // #endregion
  const client = new OpenAI(service)
  const asked = { model: 'planner', messages: [{ role: 'user' as const, content: 'Who are you?' }] }
  const { data, response } = await client.chat.completions.create(asked).withResponse()
  console.log(data.choices[0]?.message.content, response.headers.get('x-capstan-engine'))

  const painted = client.images.generate({ model: 'gpt-image-1', prompt: 'a cat', size: '1024x1024' })
  console.log((await painted.asResponse()).headers.get('x-capstan-engine'))

  await Promise.all([service.close(), other.close()])
}

main()
