import { expect, test } from 'vitest'
import { toCaption } from './caption.js'
import { parsePrompt } from './parse-prompt.js'
import { unknownIn, wordsOf } from './request.js'

test.each([
  ['a cup and a book on a table', 'a cup on a table and a book on the table', []],
  ['three red balloons and a cat on a house', 'three red balloons and a cat on a house', []],
  ['an oak tree', 'a tree', []],
  ['a coffee shop', 'a coffee shop', []],
  ['two flower shops', 'two flower shops', []],
  ['an orange tree', 'an orange tree', []],
  ['a chocolate cake', 'a chocolate cake', []],
  ['a dog house', 'a house', ['dog']],
  ['a dog collar', 'abstract: no known words', ['dog', 'collar']],
  ['an orange and an orange cat', 'an orange and an orange cat', []],
  ['a pencil on a book', 'a pencil on a book', []],
  ['a pencil drawing of a cat', 'a cat in pencil', []],
  ['I saw a dog', 'a dog', ['saw']],
  ['a saw', 'a saw', []],
  ['a dog with long ears', 'a dog', ['long', 'ears']],
  ['an ear', 'an ear', []],
  ['a pair of scissors', 'scissors', []],
  ['glasses and two glasses of wine', 'glasses and two wines', []],
  ['a girl in a red dress', 'a red girl', []],
  ['a cat wearing sunglasses', 'a cat and sunglasses on the cat', []],
  ['a dog in a boat', 'a dog on a sailboat', []],
  ['a cat in a red dress', 'a cat and a red dress', []],
  ['a bowl of fruit', 'a bowl and three apples on the bowl', []],
  ['a king with a golden crown', 'a king', []],
  ['a man with a hat on a horse', 'a man on a horse and a hat on the man', []],
  ['a basket of oranges', 'a basket and three oranges on the basket', []],
  ['a monkey eating a banana', 'a monkey beside a banana', ['eating']],
  ['a lion sleeping under a tree', 'a lion under a tree', ['sleeping']],
  ['two wolves, three mice and five geese', 'two wolves, three mice and five geese', []],
  ['a basket full of apples', 'a basket and three apples on the basket', ['full']],
  ['a child riding a bicycle past a shop', 'a child on a bicycle and a shop', ['past']],
  ['a chair upside down on a table', 'a chair on a table', ['upside']],
  ['a rain coat on a hook', 'a coat on a hook', ['rain']],
  ['a coat in the rain', 'a coat in the rain', []],
  ['elephants crossing the savanna', 'three elephants in a meadow', ['crossing']],
  ['a train crossing a bridge', 'a train on a bridge', []],
  ['a ship in a bottle', 'a ship and a bottle', ['in']],
  ['a cat in winter and a bottle', 'a cat and a bottle in a winter landscape', []],
  ['three birds around a tree', 'three birds and a tree', ['around']],
])('%s', (prompt, caption, unknown) => {
  const request = parsePrompt(prompt)
  expect([toCaption(request), unknownIn(request, wordsOf(request))]).toEqual([caption, unknown])
})
