/** The part of js-yaml that the tests use; the package has no types. */
declare module 'js-yaml' {
  export function load(text: string): unknown;
}
