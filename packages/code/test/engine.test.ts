import { expect, test } from 'vitest'
import { nextTurn } from '../src/engine/engine.js'
import { defaultBounds } from '../src/engine/program.js'

const run = (source: string, bounds = {}) =>
  nextTurn(crypto.randomUUID(), { source, seed: 's', tools: ['add'], refused: {}, bounds: { ...defaultBounds, ...bounds } }, [])

test('runs', async () => {
  for (let i = 0; i < 3; i++) {
  const t = performance.now()
  console.log(await run('return 1+1'), performance.now() - t)
  }
  console.log(JSON.stringify(await run('const a=1\n  foo()\n')))
  console.log(JSON.stringify(await run('const a=1\n  foo(\n')))
  console.log(JSON.stringify(await run('console.log("x",{a:1}); const r = await Promise.all([tools.add({a:1}),tools.add()])')))
  console.log(JSON.stringify(await run('for(;;);')))
  console.log(JSON.stringify(await run('const f=()=>f(); f()')))
  console.log(JSON.stringify(await run('let s=[];for(;;)s.push(new Array(1000).fill(1))')))
  console.log(JSON.stringify(await run('\ntools.foo()')))
  console.log(JSON.stringify(await run('new Date()')))
  console.log(JSON.stringify(await run('[].indexOf.call({length:1e12},1)', {timeMs: 500})))
  console.log(JSON.stringify(await run('JSON.parse("[".repeat(1e6))')))
  console.log(JSON.stringify(await run('return [Math.random(),Math.random()]')))
  expect(1).toBe(1)
})
