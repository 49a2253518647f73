import { expect, test } from 'vitest'
import { parseBody } from './request-body.js'

const boundary = 'boundary-of-the-form-of-this-test'
const type = `multipart/form-data; boundary=${boundary}`

/** A form of files with names of their own. */
function formOf(files: number, head = ''): Uint8Array<ArrayBuffer> {
  const parts = Array.from(
    { length: files },
    (_, at) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="f${at}"; filename="a"\r\n\r\n${head}\r\n`,
  )
  return new TextEncoder().encode(`${parts.join('')}--${boundary}--\r\n`)
}

const read = (body: Uint8Array<ArrayBuffer>, contentType = type) =>
  parseBody(body, contentType, 'multipart/form-data')

test('accepts a form of 100 parts', async () => {
  expect(Object.keys((await read(formOf(100))).files)).toHaveLength(100)
})

test.each([101, 200_000])('rejects a form of %s parts before parsing them', async (files) => {
  await expect(read(formOf(files))).rejects.toMatchObject({ status: 400, code: 'too_many_parts' })
})

test.each([
  `multipart/form-data; boundary="${boundary}"`,
  `Multipart/Form-Data; charset=utf-8; BOUNDARY=${boundary}`,
  `multipart/form-data; boundary=${boundary}; boundary=another-boundary-that-does-not-count`,
])('counts parts with any spelling of the boundary: %s', async (contentType) => {
  expect(Object.keys((await read(formOf(1), contentType)).files)).toEqual(['f0'])
  await expect(read(formOf(101), contentType)).rejects.toMatchObject({ code: 'too_many_parts' })
})

test('lines of dashes in a file are not parts', async () => {
  const { files } = await read(formOf(1, '\r\n------\r\n--boundary'.repeat(500)))
  expect(files.f0?.bytes.length).toBeGreaterThan(1000)
})
