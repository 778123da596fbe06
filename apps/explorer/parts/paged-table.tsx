import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getPage, type ItemOf, type ListMethod } from '../rpc/methods';
import { linkTo, type Route } from '../routes';
import { Loaded } from './states';

const PAGE_ITEMS = 20;
/** So many columns fit on a narrow screen. */
const NARROW_COLUMNS = 3;

/** A column: how to show an item in it. */
export interface Column<T> {
  name: string;
  isNumber?: boolean;
  show: (item: T) => React.ReactNode;
}

interface PagedTableProps<M extends ListMethod> {
  title: string;
  method: M;
  /** The params that name what is listed. */
  subject: Record<string, string>;
  columns: Column<ItemOf<M>>[];
  keyOf: (item: ItemOf<M>) => string;
  route: Route;
  /** What to say if nothing is listed. */
  empty: string;
  /** The option of the link that has the cursor, if a view has several tables. */
  option?: string;
  /** The page before the first link. */
  firstCursor?: string | null;
  /** A drawing of the page, above the table. */
  draw?: (items: ItemOf<M>[]) => React.ReactNode;
  /** Items after the first for which this is false are not shown, nor are later pages. */
  isWanted?: (item: ItemOf<M>) => boolean;
}

/** A list, page by page at any depth. The cursor is in the link, so that a page can be shared. */
export function PagedTable<M extends ListMethod>(props: PagedTableProps<M>) {
  const { title, method, subject, route, option = 'after', firstCursor = null, isWanted = () => true } = props;
  const given = route.options.get(option);
  const cursor = given ?? firstCursor;
  const query = useQuery({
    queryKey: [method, subject, cursor],
    queryFn: () => getPage(method, subject, PAGE_ITEMS, cursor),
    placeholderData: keepPreviousData,
  });
  const link = (next: string | null) =>
    linkTo(route.view, route.subject, { ...Object.fromEntries(route.options), [option]: next });
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <Loaded query={query} isEmpty={({ items }) => items.filter(isWanted).length === 0} empty={props.empty}>
        {({ items, cursor: next }) => {
          const wanted = items.filter(isWanted);
          return (
            <>
              {props.draw?.(wanted)}
              <Table items={wanted} columns={props.columns} keyOf={props.keyOf} caption={title} />
              <p className="pages">
                {given !== null && <a href={link(null)}>First page</a>}
                {next !== null && wanted.length === items.length && <a href={link(next)}>Next page</a>}
              </p>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

/** On narrow screens, each row of many columns becomes a list. Browsers then no longer know that it is a table: roles tell it. */
export function Table<T>({
  items,
  columns,
  keyOf,
  caption,
}: {
  items: T[];
  columns: Column<T>[];
  keyOf: (item: T) => string;
  caption: string;
}) {
  const isWide = columns.length > NARROW_COLUMNS;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={`${caption}, table`}>
      <table role="table" className={isWide ? 'stacks' : undefined}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, isNumber }) => (
              <th key={name} role="columnheader" scope="col" className={isNumber ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {items.map((item) => (
            <tr key={keyOf(item)} role="row">
              {columns.map(({ name, isNumber, show }) => (
                <td key={name} role="cell" data-name={name} className={isNumber ? 'number' : undefined}>
                  {show(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
