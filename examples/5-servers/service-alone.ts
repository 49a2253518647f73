// The local service with the official client, without an agent.
import { startService } from '@capstan/service'
import OpenAI from 'openai'

async function main(): Promise<void> {
  const service = await startService()
  const client = new OpenAI(service)

  const { data } = await client.images.generate({
    model: 'gpt-image-1',
    prompt: 'three red balloons over a meadow',
  })
  const [picture] = data ?? []
  console.log(
    'picture:',
    Buffer.from(picture?.b64_json ?? '', 'base64').byteLength > 10_000,
    picture?.revised_prompt,
  )

  const { data: spoken, response } = await client.audio.speech
    .create({ model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hello.', response_format: 'wav' })
    .withResponse()
  console.log('speech:', (await spoken.arrayBuffer()).byteLength, response.headers.get('x-capstan-engine'))

  await service.close()
}

main()
