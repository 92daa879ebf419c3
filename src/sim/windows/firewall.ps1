# The Windows Firewall. Without a policy store, cmdlets return local rules only; the active store also has group policy
# rules.

function Get-FirewallInstance {
    param([string]$ClassName, [switch]$Local)
    $firewall = Read-Section firewall
    if ($ClassName -eq 'MSFT_NetFirewallProfile') {
        foreach ($row in @($firewall.Profiles)) { New-Instance $ClassName @{ Name = $row.Name; Enabled = $(if ($row.Enabled) { 1 } else { 0 }) } }
        return
    }
    $sources = @{ None = 0; Local = 1; GroupPolicy = 2; Dynamic = 3; Generated = 4; Hardcoded = 5 }
    foreach ($row in @($firewall.Rules)) {
        $source = if ($row.PolicyStoreSourceType) { $row.PolicyStoreSourceType } else { 'Local' }
        if ($Local -and $source -ne 'Local') { continue }
        if ($ClassName -eq 'MSFT_NetFirewallRule') {
            New-Instance $ClassName @{
                InstanceID = [string]$row.Name; DisplayName = $row.DisplayName; Enabled = $(if ($row.Enabled) { 1 } else { 2 })
                Direction = ConvertTo-Number $row.Direction @{ Inbound = 1; Outbound = 2 }
                Action = ConvertTo-Number $row.Action @{ NotConfigured = 0; Allow = 2; AllowBypass = 3; Block = 4 }
                PolicyStoreSourceType = $sources[$source]
            }
        } else {
            New-Instance $ClassName @{ InstanceID = [string]$row.Name; Protocol = $row.Protocol; LocalPort = [string[]]@(([string]$row.LocalPort) -split ',') }
        }
    }
}

function Get-NetFirewallProfile {
    [CmdletBinding()]
    param([string]$PolicyStore)
    Get-FirewallInstance -ClassName MSFT_NetFirewallProfile -Local:($PolicyStore -ne 'ActiveStore')
}

function Get-NetFirewallRule {
    [CmdletBinding()]
    param([string]$PolicyStore)
    Get-FirewallInstance -ClassName MSFT_NetFirewallRule -Local:($PolicyStore -ne 'ActiveStore')
}

function Get-NetFirewallPortFilter {
    [CmdletBinding()]
    param([string]$PolicyStore)
    Get-FirewallInstance -ClassName MSFT_NetProtocolPortFilter -Local:($PolicyStore -ne 'ActiveStore')
}

# A policy store has a name only once; the cmdlets write to the local store.
function Find-LocalRule {
    param([string]$Name)
    @((Read-State).sections.firewall.Rules | Where-Object { $_.Name -eq $Name -and (-not $_.PolicyStoreSourceType -or $_.PolicyStoreSourceType -eq 'Local') })
}

function New-NetFirewallRule {
    [CmdletBinding()]
    param([string]$Name, [string]$DisplayName, [string]$Direction, [string]$Action, [string]$Protocol, [string]$LocalPort, [string]$Profile)
    if (Test-Fault $PSCmdlet) { return }
    if (@(Find-LocalRule -Name $Name).Count -gt 0) {
        Write-Failure -Cmdlet $PSCmdlet -Message 'Cannot create a file when that file already exists.' -Code AlreadyExists -Category ResourceExists
        return
    }
    Edit-State {
        param($state)
        $rule = [pscustomobject]@{ DisplayName = $DisplayName; Enabled = $true; Direction = $Direction; Action = $Action; Protocol = $Protocol; LocalPort = $LocalPort; Name = $Name; PolicyStoreSourceType = 'Local' }
        $state.sections.firewall.Rules = @($state.sections.firewall.Rules) + $rule
    }
}

function Remove-NetFirewallRule {
    [CmdletBinding()]
    param([string]$Name)
    if (Test-Fault $PSCmdlet) { return }
    if (@(Find-LocalRule -Name $Name).Count -eq 0) { Write-NotFound -Cmdlet $PSCmdlet -ClassName MSFT_NetFirewallRule; return }
    Edit-State {
        param($state)
        $state.sections.firewall.Rules = @($state.sections.firewall.Rules | Where-Object { $_.Name -ne $Name -or ($_.PolicyStoreSourceType -and $_.PolicyStoreSourceType -ne 'Local') })
    }
}
