import type { Facts } from '../facts.js'
import { facts as background } from './background.js'
import { facts as runs } from './runs.js'
import { facts as search } from './tool-search.js'

/** The facts that `npm test` checks, on one server. */
export const facts: Facts = { ...runs, ...background, ...search }
