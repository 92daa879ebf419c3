# ovs.deleteBridge: takes a bridge with its ports out of the OVS database. ovs-vswitchd may be down.

function Invoke-OvsDeleteBridgeStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    $bridge = [string]$With.bridge
    switch ($Phase) {
        'Inspect' {
            $found = Get-OvsBridge -Name $bridge
            if ($null -eq $found) { return New-Inspection -Done $true -About "The OVS database has no bridge $bridge." }
            New-Inspection -Done $false -Saved $found -About "Bridge $bridge is in the OVS database, with $(@($found.ports).Count) ports."
        }
        'Apply' {
            if ($PSCmdlet.ShouldProcess("OVS bridge $bridge", 'Delete')) { [void](Invoke-OvsVsctl -Arguments @('--', '--if-exists', 'del-br', $bridge)) }
        }
        'Undo' {
            if ($null -eq $Saved) { return }
            if ($PSCmdlet.ShouldProcess("OVS bridge $bridge", 'Create again')) { [void](Invoke-OvsVsctl -Arguments @(Get-OvsCreateCommand -Bridge $Saved)) }
        }
    }
}

# What can be configured of a bridge, its ports and interfaces. The rest (ofport, status, statistics) ovs-vswitchd finds out.
function Get-OvsBridge {
    param([Parameter(Mandatory = $true)][string]$Name)
    $tables = @(Read-OvsTable -Names @('Bridge', 'Port', 'Interface'))
    $bridge = ConvertFrom-OvsTable -Json $tables[0] | Where-Object -FilterScript { $_.name -eq $Name } | Select-Object -First 1
    if ($null -eq $bridge) { return }
    $ports = @(ConvertFrom-OvsTable -Json $tables[1])
    $interfaces = @(ConvertFrom-OvsTable -Json $tables[2])
    [pscustomobject]@{
        name     = $bridge.name
        settings = Select-OvsSetting -Row $bridge -Columns @('datapath_type', 'fail_mode', 'external_ids', 'other_config')
        ports    = @(foreach ($port in $ports) {
                if (@($bridge.ports) -notcontains $port._uuid) { continue }
                [pscustomobject]@{
                    name       = $port.name
                    settings   = Select-OvsSetting -Row $port -Columns @('tag', 'external_ids', 'other_config')
                    interfaces = @(foreach ($interface in $interfaces) {
                            if (@($port.interfaces) -notcontains $interface._uuid) { continue }
                            [pscustomobject]@{
                                name     = $interface.name
                                settings = Select-OvsSetting -Row $interface -Columns @('type', 'options', 'external_ids', 'other_config', 'ofport_request', 'mtu_request')
                            }
                        })
                }
            })
    }
}

# Columns that are set, as column, key (of a map) and value.
function Select-OvsSetting {
    param([Parameter(Mandatory = $true)][object]$Row, [Parameter(Mandatory = $true)][string[]]$Columns)
    $settings = foreach ($column in $Columns) {
        $value = Get-Field -InputObject $Row -Name $column
        if ($value -is [System.Collections.IDictionary]) {
            foreach ($key in $value.Keys) { [pscustomobject]@{ column = $column; key = [string]$key; value = $value[$key] } }
        } elseif ($null -ne $value -and $value -isnot [System.Array] -and [string]$value -ne '') {
            [pscustomobject]@{ column = $column; key = ''; value = $value }
        }
    }
    , @($settings)
}

# One transaction that makes the bridge as it was. Every name and value is a word of its own, quoted as OVS reads it.
function Get-OvsCreateCommand {
    param([Parameter(Mandatory = $true)][object]$Bridge)
    '--', '--may-exist', 'add-br', $Bridge.name
    Get-OvsSetCommand -Table Bridge -Name $Bridge.name -Settings $Bridge.settings
    foreach ($port in @($Bridge.ports)) {
        if ($port.name -ne $Bridge.name) { '--', '--may-exist', 'add-port', $Bridge.name, $port.name }
        Get-OvsSetCommand -Table Port -Name $port.name -Settings $port.settings
        foreach ($interface in @($port.interfaces)) { Get-OvsSetCommand -Table Interface -Name $interface.name -Settings $interface.settings }
    }
}

function Get-OvsSetCommand {
    param(
        [Parameter(Mandatory = $true)][string]$Table,
        [Parameter(Mandatory = $true)][string]$Name,
        [AllowNull()][AllowEmptyCollection()][object[]]$Settings
    )
    $words = foreach ($setting in @($Settings)) {
        if ($null -eq $setting) { continue }
        $target = $setting.column
        if ($setting.key -ne '') { $target = '{0}:{1}' -f $setting.column, (ConvertTo-Json -InputObject ([string]$setting.key)) }
        $value = $setting.value
        if ($value -is [string]) { $value = ConvertTo-Json -InputObject $value } else { $value = ([string]$value).ToLowerInvariant() }
        "$target=$value"
    }
    if (@($words).Count -gt 0) { @('--', 'set', $Table, $Name) + @($words) }
}
