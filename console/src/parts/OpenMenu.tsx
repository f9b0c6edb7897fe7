import { Menu } from '@mantine/core';
import { Icon } from './icons.tsx';
import type { MenuItem, MenuProps } from './Menu.tsx';
import './menu.css';

const Item = ({ label, icon, isChecked, isDisabled, href, run }: MenuItem) => {
  if (run === undefined && href === undefined) return <Menu.Label>{label}</Menu.Label>;
  const props = {
    disabled: isDisabled ?? false,
    leftSection: icon && <Icon name={icon} size={16} />,
    rightSection: isChecked === true && <Icon name="check" size={15} />,
  };
  return href === undefined ? (
    <Menu.Item {...props} onClick={run}>
      {label}
    </Menu.Item>
  ) : (
    <Menu.Item {...props} component="a" href={href}>
      {label}
    </Menu.Item>
  );
};

/** Opened at once: it is loaded by the click that opens it. */
export default function OpenMenu({ button, items, width, position = 'bottom-start' }: MenuProps) {
  return (
    <Menu defaultOpened width={width} position={position}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {items.map((item) => (
          <Item key={item.id} {...item} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
