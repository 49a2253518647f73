import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { piecesOf, toCurl } from './exchange-text.js'

test('an answer is split into its pieces, and a character that was cut stands in the later one', () => {
  const bytes = new TextEncoder().encode('aé→b')
  const pieces = [
    [10, 2],
    [12, 2],
    [15, 3],
  ] as const
  const read = piecesOf({ sentAt: 8, pieces }, bytes)
  expect(read.map(({ text }) => text)).toEqual(['a', 'é', '→b'])
  expect(read.map(({ at }) => at)).toEqual([2, 4, 7])
  expect(piecesOf({ sentAt: 0, pieces: [] }, bytes).map(({ text }) => text)).toEqual(['aé→b'])
})

test('the command sends the same body to the same address, with the key of the shell', async () => {
  const seen: { body: string; authorization: string | undefined }[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    seen.push({ body, authorization: request.headers.authorization })
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const body = `{"text":"it's $HOME \\n \\"quoted\\""}`
  const requestHeaders = {
    'content-type': 'application/json',
    Authorization: '[redacted]',
    'content-length': '9',
  }
  const command = toCurl({ url: `http://127.0.0.1:${port}/v1/chat/completions`, requestHeaders }, body)
  const environment = { ...process.env, OPENAI_API_KEY: 'of-the-shell' }
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: environment })
  expect(stdout).toBe('ok')
  expect(seen).toEqual([{ body, authorization: 'Bearer of-the-shell' }])
})
