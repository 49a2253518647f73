// The local painter: what it understood of a prompt, and an edit of its image.
import { mkdir, writeFile } from 'node:fs/promises'
import { startService } from '@capstan/service'
import OpenAI, { toFile } from 'openai'

const service = await startService()
const client = new OpenAI(service)

const { data: drawing, response } = await client.images
  .generate({ prompt: 'a cat on a house and a quagga at sunset', size: '1024x1024' })
  .withResponse()
const [image] = drawing.data ?? []
console.log('drawn:', image?.revised_prompt)
console.log('not understood:', response.headers.get('x-capstan-not-understood'))

const bytes = Buffer.from(image?.b64_json ?? '', 'base64')
const edit = await client.images.edit({
  image: await toFile(bytes, 'house.png', { type: 'image/png' }),
  prompt: 'make it night, add three balloons',
})
const [edited] = edit.data ?? []
console.log('edited:', edited?.revised_prompt)

await mkdir('output', { recursive: true })
await writeFile('output/house.png', Buffer.from(edited?.b64_json ?? '', 'base64'))
await service.close()
