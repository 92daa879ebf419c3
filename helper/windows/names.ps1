# Enumerations are numbers in CIM, and names in snapshots.

function ConvertTo-EnumName {
    param(
        [Parameter(Mandatory = $true)]
        [ValidateSet('AddressFamily', 'PrefixOrigin', 'AddressState', 'Switch', 'ConnectionState', 'ExtensionType',
            'FeatureState', 'TaskState', 'RuleDirection', 'RuleAction', 'RuleSource')]
        [string]$Kind,
        [AllowNull()][object]$Value
    )
    $names = switch ($Kind) {
        'AddressFamily' { @{ 2 = 'IPv4'; 23 = 'IPv6' } }
        'PrefixOrigin' { @{ 0 = 'Other'; 1 = 'Manual'; 2 = 'WellKnown'; 3 = 'Dhcp'; 4 = 'RouterAdvertisement' } }
        'AddressState' { @{ 0 = 'Invalid'; 1 = 'Tentative'; 2 = 'Duplicate'; 3 = 'Deprecated'; 4 = 'Preferred' } }
        'Switch' { @{ 0 = 'Disabled'; 1 = 'Enabled' } }
        'ConnectionState' { @{ 0 = 'Disconnected'; 1 = 'Connected' } }
        'ExtensionType' { @{ 0 = 'Unknown'; 1 = 'Capture'; 2 = 'Filter'; 3 = 'Forwarding'; 4 = 'Monitoring'; 5 = 'Native' } }
        'FeatureState' { @{ 1 = 'Enabled'; 2 = 'Disabled'; 3 = 'Absent'; 4 = 'Unknown' } }
        'TaskState' { @{ 0 = 'Unknown'; 1 = 'Disabled'; 2 = 'Queued'; 3 = 'Ready'; 4 = 'Running' } }
        'RuleDirection' { @{ 1 = 'Inbound'; 2 = 'Outbound' } }
        'RuleSource' { @{ 0 = 'None'; 1 = 'Local'; 2 = 'GroupPolicy'; 3 = 'Dynamic'; 4 = 'Generated'; 5 = 'Hardcoded' } }
        'RuleAction' { @{ 0 = 'NotConfigured'; 2 = 'Allow'; 3 = 'AllowBypass'; 4 = 'Block' } }
    }
    if ($null -eq $Value) { return $null }
    $number = $Value -as [int]
    if ($null -ne $number -and $names.ContainsKey($number)) { return $names[$number] }
    [string]$Value
}

# The Status of Get-NetAdapter, from the properties of MSFT_NetAdapter.
function ConvertTo-AdapterStatus {
    param([Parameter(Mandatory = $true)][object]$Adapter)
    $operational = [int](Get-Field -InputObject $Adapter -Name InterfaceOperationalStatus)
    if ($operational -eq 1) { return 'Up' }
    if ([int](Get-Field -InputObject $Adapter -Name State) -eq 3) { return 'Disabled' }
    if ([int](Get-Field -InputObject $Adapter -Name InterfaceAdminStatus) -eq 2) { return 'Disabled' }
    if ($operational -eq 6) { return 'Not Present' }
    if ([int](Get-Field -InputObject $Adapter -Name MediaConnectState) -eq 2) { return 'Disconnected' }
    'Down'
}

# 00155D0A1B2C -> 00-15-5D-0A-1B-2C
function Format-MacAddress {
    param([AllowNull()][AllowEmptyString()][string]$Address)
    $digits = ([string]$Address -replace '[^0-9A-Fa-f]', '').ToUpperInvariant()
    if ($digits.Length -ne 12) { return $null }
    [string]::Join('-', @(for ($i = 0; $i -lt 12; $i += 2) { $digits.Substring($i, 2) }))
}

function Format-LinkSpeed {
    param([AllowNull()][object]$BitsPerSecond)
    if ($null -eq $BitsPerSecond) { return $null }
    $speed = [double]$BitsPerSecond
    foreach ($unit in @(@(1e9, 'Gbps'), @(1e6, 'Mbps'), @(1e3, 'Kbps'))) {
        if ($speed -ge $unit[0]) { return '{0} {1}' -f [math]::Round($speed / $unit[0], 1), $unit[1] }
    }
    '{0} bps' -f $speed
}
