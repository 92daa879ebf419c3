# ovs.deleteBridge: removes a bridge with its ports from the OVS database. It does not require ovs-vswitchd.

function Invoke-OvsDeleteBridgeStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    $bridge = [string]$With.bridge
    switch ($Phase) {
        'Inspect' {
            $found = Get-OvsBridge -Name $bridge
            if ($null -eq $found) { return New-Inspection -Done $true -About "The OVS database has no bridge $bridge." }
            $blocked = ''
            if (-not (Test-PluginBridge -Bridge $found)) { $blocked = "OVS bridge $bridge does not belong to a network plugin and is not removed." }
            New-Inspection -Done $false -Blocked $blocked -Saved $found -About "Bridge $bridge is in the OVS database, with $(@($found.ports).Count) ports."
        }
        'Apply' {
            if ($PSCmdlet.ShouldProcess("OVS bridge $bridge", 'Delete')) { Remove-OvsBridge -Name $bridge }
        }
        'Undo' {
            # If it exists, an undo or the agent has created it again.
            if ($null -eq $Saved -or $null -ne (Get-OvsBridge -Name $bridge)) { return }
            # Rows of a bridge without a switch keep ovs-vswitchd from starting; the agent recreates both.
            if (@(Get-VMSwitchSection | Where-Object -FilterScript { $_.SwitchType -eq 'External' }).Count -eq 0) { return }
            if ($PSCmdlet.ShouldProcess("OVS bridge $bridge", 'Create again')) { New-OvsBridge -Bridge $Saved }
        }
    }
}

# Bridges of OVN are br-int, br with a name, and in its older versions the name of the management adapter. A bridge of Antrea can
# have any name; its ports have a mark.
function Test-PluginBridge {
    param([Parameter(Mandatory = $true)][object]$Bridge)
    if ($Bridge.name -match '^(br|vEthernet \()') { return $true }
    @($Bridge.ports | Where-Object -FilterScript { (ConvertTo-JsonText -Value $_.settings) -match '"antrea-type"' }).Count -gt 0
}

# The columns that can be configured. ovs-vswitchd fills in the others (ofport, status, statistics). No network plugin on Windows
# creates rows of other tables (controllers, mirrors, queues).
function Get-OvsSettingList {
    @{
        Bridge    = @('datapath_type', 'fail_mode', 'protocols', 'flood_vlans', 'mcast_snooping_enable', 'rstp_enable', 'stp_enable', 'external_ids', 'other_config')
        Port      = @('tag', 'trunks', 'vlan_mode', 'cvlans', 'mac', 'protected', 'fake_bridge', 'bond_mode', 'bond_updelay', 'bond_downdelay', 'bond_fake_iface', 'lacp', 'external_ids', 'other_config')
        Interface = @('type', 'options', 'mac', 'mtu_request', 'ofport_request', 'ingress_policing_rate', 'ingress_policing_burst', 'bfd', 'lldp', 'external_ids', 'other_config')
    }
}

function Get-OvsBridge {
    param([Parameter(Mandatory = $true)][string]$Name)
    $tables = @(Read-OvsTable -Names @('Bridge', 'Port', 'Interface'))
    $bridge = ConvertFrom-OvsTable -Json $tables[0] | Where-Object -FilterScript { $_.name -ceq $Name } | Select-Object -First 1
    if ($null -eq $bridge) { return }
    $ports = @(ConvertFrom-OvsTable -Json $tables[1])
    $interfaces = @(ConvertFrom-OvsTable -Json $tables[2])
    [pscustomobject]@{
        id       = Get-OvsReference -Cell $bridge._uuid
        name     = $bridge.name
        settings = Select-OvsSetting -Row $bridge -Table Bridge
        ports    = @(foreach ($port in @(Select-OvsRow -Rows $ports -Cell $bridge.ports)) {
                [pscustomobject]@{
                    name       = $port.name
                    settings   = Select-OvsSetting -Row $port -Table Port
                    interfaces = @(foreach ($interface in @(Select-OvsRow -Rows $interfaces -Cell $port.interfaces)) {
                            [pscustomobject]@{ name = $interface.name; settings = Select-OvsSetting -Row $interface -Table Interface }
                        })
                }
            })
    }
}

function Select-OvsRow {
    param([AllowEmptyCollection()][object[]]$Rows, [AllowNull()][object]$Cell)
    $ids = @(Get-OvsReference -Cell $Cell)
    $Rows | Where-Object -FilterScript { $ids -contains (Get-OvsReference -Cell $_._uuid) }
}

# The columns that are set, with cells in the format of OVS.
function Select-OvsSetting {
    param([Parameter(Mandatory = $true)][object]$Row, [Parameter(Mandatory = $true)][string]$Table)
    $settings = [ordered]@{}
    foreach ($column in (Get-OvsSettingList)[$Table]) {
        $property = $Row.PSObject.Properties[$column]
        if ($null -eq $property) { continue }
        if (Test-OvsCellSet -Cell $property.Value) { $settings[$column] = $property.Value }
    }
    [pscustomobject]$settings
}

# An unset cell is an empty set, map or text, 0 or false, depending on the type of its column.
function Test-OvsCellSet {
    param([AllowNull()][object]$Cell)
    if ($Cell -is [System.Array]) { return @($Cell[1]).Count -gt 0 }
    if ($Cell -is [string]) { return $Cell -ne '' }
    [bool]$Cell
}

# Like `ovs-vsctl --if-exists del-br`: the database removes rows that nothing refers to.
function Remove-OvsBridge {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string]$Name)
    $bridge = Get-OvsBridge -Name $Name
    if ($null -eq $bridge -or -not $PSCmdlet.ShouldProcess("OVS bridge $Name", 'Delete')) { return }
    $stream = Open-OvsDatabase
    if ($null -eq $stream) {
        [void](Invoke-OvsVsctl -Arguments @('--', '--if-exists', 'del-br', $Name))
        return
    }
    try {
        Edit-OvsRoot -Stream $stream -Mutator delete -Bridge @('uuid', $bridge.id)
    } finally {
        $stream.Dispose()
    }
}

# A bridge with its configuration, in one transaction.
function New-OvsBridge {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][object]$Bridge)
    if (-not $PSCmdlet.ShouldProcess("OVS bridge $($Bridge.name)", 'Create')) { return }
    $stream = Open-OvsDatabase
    if ($null -eq $stream) {
        [void](Invoke-OvsVsctl -Arguments @(Get-OvsCreateCommand -Bridge $Bridge))
        return
    }
    try {
        $operations = @(Get-OvsInsertOperation -Bridge $Bridge)
        Edit-OvsRoot -Stream $stream -Mutator insert -Bridge @('named-uuid', 'bridge') -Before $operations
    } finally {
        $stream.Dispose()
    }
}

# Adds a bridge to the only row of Open_vSwitch, or removes it, after other operations of the same transaction.
function Edit-OvsRoot {
    param(
        [Parameter(Mandatory = $true)][System.IO.Stream]$Stream,
        [Parameter(Mandatory = $true)][ValidateSet('insert', 'delete')][string]$Mutator,
        [Parameter(Mandatory = $true)][string[]]$Bridge,
        [AllowEmptyCollection()][object[]]$Before = @()
    )
    # Without this row nothing would refer to the bridge, and the database would remove it without an error.
    $count = [pscustomobject]@{ op = 'select'; table = 'Open_vSwitch'; where = @(); columns = @('_uuid') }
    if (@(@(Invoke-OvsdbTransaction -Stream $Stream -Operations @($count))[0].rows).Count -ne 1) {
        throw (New-HelperError -Kind Failed -Message 'The OVS database has no row in Open_vSwitch: it was never initialised.')
    }
    $change = [pscustomobject]@{ op = 'mutate'; table = 'Open_vSwitch'; where = @(); mutations = @(, @('bridges', $Mutator, $Bridge)) }
    [void](Invoke-OvsdbTransaction -Stream $Stream -Operations ($Before + $change))
}

function Get-OvsInsertOperation {
    param([Parameter(Mandatory = $true)][object]$Bridge)
    $number = 0
    $ports = @(foreach ($port in @($Bridge.ports)) {
            $number++
            $links = @(foreach ($interface in @($port.interfaces)) {
                    $number++
                    ConvertTo-OvsInsert -Table Interface -Id "row$number" -Name $interface.name -Settings $interface.settings
                })
            $links
            ConvertTo-OvsInsert -Table Port -Id "port$number" -Name $port.name -Settings $port.settings -Column interfaces -Rows $links
        })
    $ports
    $own = @($ports | Where-Object -FilterScript { $_.table -eq 'Port' })
    ConvertTo-OvsInsert -Table Bridge -Id bridge -Name $Bridge.name -Settings $Bridge.settings -Column ports -Rows $own
}

# The operation that inserts a row. Other operations refer to it by the id; the column has the rows that it refers to.
function ConvertTo-OvsInsert {
    param(
        [Parameter(Mandatory = $true)][string]$Table,
        [Parameter(Mandatory = $true)][string]$Id,
        [Parameter(Mandatory = $true)][string]$Name,
        [Parameter(Mandatory = $true)][object]$Settings,
        [string]$Column = '',
        [AllowEmptyCollection()][object[]]$Rows = @()
    )
    $row = [ordered]@{ name = $Name }
    foreach ($setting in $Settings.PSObject.Properties) { $row[$setting.Name] = $setting.Value }
    if ($Column -ne '') { $row[$Column] = @('set', @(foreach ($each in $Rows) { , @('named-uuid', $each.'uuid-name') })) }
    [pscustomobject]@{ op = 'insert'; table = $Table; 'uuid-name' = $Id; row = [pscustomobject]$row }
}

# The same for ovs-vsctl, also in one transaction. Every name and value is a separate argument, quoted for OVS.
function Get-OvsCreateCommand {
    param([Parameter(Mandatory = $true)][object]$Bridge)
    '--', '--may-exist', 'add-br', $Bridge.name
    Get-OvsSetCommand -Table Bridge -Name $Bridge.name -Settings $Bridge.settings
    foreach ($port in @($Bridge.ports)) {
        $links = @($port.interfaces | ForEach-Object -Process { $_.name })
        if ($links.Count -gt 1) {
            @('--', '--may-exist', 'add-bond', $Bridge.name, $port.name) + $links
        } elseif ($port.name -ne $Bridge.name) {
            '--', '--may-exist', 'add-port', $Bridge.name, $port.name
        }
        Get-OvsSetCommand -Table Port -Name $port.name -Settings $port.settings
        foreach ($interface in @($port.interfaces)) { Get-OvsSetCommand -Table Interface -Name $interface.name -Settings $interface.settings }
    }
}

function Get-OvsSetCommand {
    param(
        [Parameter(Mandatory = $true)][string]$Table,
        [Parameter(Mandatory = $true)][string]$Name,
        [Parameter(Mandatory = $true)][object]$Settings
    )
    $words = @(foreach ($setting in $Settings.PSObject.Properties) { $setting.Name + '=' + (ConvertTo-OvsWord -Cell $setting.Value) })
    if ($words.Count -gt 0) { @('--', 'set', $Table, $Name) + $words }
}

# A cell in the format of ovs-vsctl: [a,b] for a set, {k=v} for a map, texts in quotes.
function ConvertTo-OvsWord {
    param([AllowNull()][object]$Cell)
    if ($Cell -is [string]) { return ConvertTo-Json -InputObject $Cell -Compress }
    if ($Cell -isnot [System.Array]) { return ([string]$Cell).ToLowerInvariant() }
    if ([string]$Cell[0] -ceq 'map') {
        $pairs = @(foreach ($pair in $Cell[1]) { (ConvertTo-OvsWord -Cell $pair[0]) + '=' + (ConvertTo-OvsWord -Cell $pair[1]) })
        return '{' + [string]::Join(',', $pairs) + '}'
    }
    '[' + [string]::Join(',', @(foreach ($member in $Cell[1]) { ConvertTo-OvsWord -Cell $member })) + ']'
}
