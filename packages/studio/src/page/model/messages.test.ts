import type { Message } from '@capstan/core'
import { expect, test } from 'vitest'
import { inputOf } from './messages.js'

test('the input of a run is what the user said last, and its files', () => {
  const messages: Message[] = [
    { role: 'user', content: 'Before' },
    { role: 'assistant', content: 'Answer' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'text', text: ' here' },
      ],
      media: [{ artifact: 'img_ab', mediaType: 'image/png', size: 9, show: true }],
    },
  ]
  expect(inputOf(messages)).toEqual({ text: 'Look here', attachments: ['img_ab'] })
  expect(inputOf([{ role: 'user', content: 'Hi' }])).toEqual({ text: 'Hi', attachments: [] })
  expect(inputOf([])).toEqual({ text: '', attachments: [] })
})
