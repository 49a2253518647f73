import { type ComponentChildren, Fragment } from 'preact'

/** Shows a list of names and values. Omits pairs whose value is undefined, null or empty. */
export function Pairs({ pairs }: { readonly pairs: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="pairs">
      {pairs.map(([name, value]) =>
        value === undefined || value === null || value === '' ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ),
      )}
    </dl>
  )
}
