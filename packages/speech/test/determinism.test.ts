import { expect, test } from 'vitest'
import { speechHashes } from './speech-hashes.js'

test('every voice and format gives the same bytes on every machine', async () => {
  expect(await speechHashes()).toMatchInlineSnapshot(`
    {
      "awb": "c09cb084221b77f61802b4da7aa67abd1757bf97fe9712127f62630b5a4e8658",
      "flac": "7717561dea26ad53bd85aba0ce3b517896def697e63e55816d713e2af4dd7f45",
      "kal": "04ebaee9b588f1f07c456bb9f372349b3eaf8cb1bba6b3c84b98b8364a411d57",
      "kal16": "be854520804a9f0207b2cf489c7421ba6095b9dd3027b65221dd4d11089c9778",
      "mp3": "bfe542d01c245f8a0282fabb3da6335a2da4f4123c491845708a580318bbbe86",
      "ogg": "ef273772db24a3e74bd3834d685e474590351726bdd1f9a3c543d145c4107c6b",
      "pcm": "e2a95400668c96b36457ec1a5a76531c765c1f9da71a5a8670b16043f001295c",
      "rms": "7598a72c29362c83f15de2f18a9ba16606c0e9a0d35340a0b2a39352c4ed11a5",
      "slt": "9967640497e16206d9ea2eff2032b048c461a0edb06ad70b9b346f74007ac2eb",
      "wav": "a8d0ecd63f903655fbd3357ecff33c3efe6e7ca973677427983030b8c3c1deb6",
    }
  `)
})
