import { expect, test } from 'vitest'
import { ToolNames } from './tool-call-builder.js'

const names = new ToolNames((name) => ['f', 'get', 'get_weather', 'ping', 'pingping'].includes(name))

test.each([
  ['', 'get', 'get'],
  ['get', '', 'get'],
  ['get', ' ', 'get'],
  ['get', '_weather', 'get_weather'],
  ['get', '_wea', 'get_wea'],
  ['get', 'get_wea', 'get_wea'],
  ['functions.', 'f', 'functions.f'],
  ['functions.f', 'f', 'functions.f'],
  ['ping', 'ping', 'ping'],
  ['x', 'y', 'xy'],
])('after %j, %j makes %j', (before, name, joined) => {
  expect(names.append(before, name, false)).toBe(joined)
})

test('appends another name after arguments with a space', () => {
  expect(names.append('get', '_weather', true)).toBe('get _weather')
  expect(names.append('get', 'get', true)).toBe('get')
  expect(names.append('get_wea', 'ther', true)).toBe('get_weather')
  expect([false, true].map((begun) => names.continues('get', '_weather', begun))).toEqual([true, false])
})

test('compares names without decoration', () => {
  expect(names.differ(' f', 'functions.f')).toBe(false)
  expect(names.differ('f', 'get')).toBe(true)
  expect(names.differ('x', 'x ')).toBe(true)
})

test('limits the length of a name', () => {
  let name = 'x'
  for (let n = 0; n < 1000; n++) name = names.append(name, `${n}-`, false)
  expect(name.length).toBeLessThan(220)
})
