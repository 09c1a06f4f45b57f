// A choice of a few, each a link, so that the choice is in the address. What is usual needs no parameter.
import { type Where, withParams } from "../lib/url";

interface Props {
  name: string;
  value: string;
  options: [string, string][];
  where: Where;
  usual?: string;
}

export function Seg({ name, value, options, where, usual }: Props) {
  return (
    <span class="seg">
      {options.map(([key, label]) => (
        <a
          key={key}
          href={withParams({ [name]: key === usual ? null : key }, where)}
          aria-current={key === value ? "true" : undefined}
        >
          {label}
        </a>
      ))}
    </span>
  );
}
