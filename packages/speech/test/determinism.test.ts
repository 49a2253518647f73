import { expect, test } from 'vitest'
import { speechHashes } from './speech-hashes.js'

test('every voice and format gives the same bytes on every machine', async () => {
  expect(await speechHashes()).toMatchInlineSnapshot(`
    {
      "awb": "d64b35486b193ae8c70a660a2c30023f6e87068e25ec11d615868661f1babda0",
      "flac": "05679b7d2c47f309a9dcf3b21d455933ad16ecb0d32cf677884481dbeb5fa6d2",
      "kal": "da10a0fcb1306c1a5729ec3d8d317ceb458137a373a628a4babe4d083f963379",
      "kal16": "d89cd4d15dcd1ab0c211e547435380ec7af816998ca58d5e046a6fc230ac0955",
      "mp3": "3f52389ea96c868c853c792bdbc7b65278e4adc2fdd680cfc94a55488744765f",
      "ogg": "4517546018b0078172de00cbb84d56cfb788fcc5135ebcc89d1a693bb6616a02",
      "pcm": "dc8ce240eb06f51a312ad295edcdfb736a683df0e0e1bc971bf1ccfd3838e82f",
      "rms": "bcb5133bb7755318c209793b9794edb90488e0b0b1e1daa0de26acc95ab62ac4",
      "slt": "77dd5389285b29615982324ade585da7076388d377f44898d6cb8cbfc84b4f08",
      "wav": "4649c65cbe58e86b9bf490be545e5d191b7a415a1a06f6b6adf382139d350d39",
    }
  `)
})
