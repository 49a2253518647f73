// How many cases the property tests try: all of them in `.ci/long`, a tenth in `npm test`.

/** Whether the slow tests run as well. */
export const isLong = process.env.CAPSTAN_LONG === '1'

/** Returns all rows of a table with CAPSTAN_LONG=1, else every third, by default: neighbours are of one kind. */
export function some(rows, every = 3) {
  return isLong ? rows : rows.filter((_, at) => at % every === 0)
}

/** Returns the number of cases of a property: `all` with CAPSTAN_LONG=1, else `few`, by default a tenth. */
export function cases(all, few = Math.ceil(all / 10)) {
  return isLong ? all : few
}
